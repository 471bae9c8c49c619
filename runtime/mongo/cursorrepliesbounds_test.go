package mongo_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// strangeNumbers are values that a broken server may send in place of a count.
var strangeNumbers = []any{-1, math.MinInt32, int64(math.MinInt64), math.NaN(), math.Inf(1), 1e300, 0.5, "7", bson.D{}, nil}

// TestNumbersOfRepliesAreChecked puts numbers that mean nothing where an operation reads one. The operation fails and
// names the field, or its result is as if the number had not been there.
func TestNumbersOfRepliesAreChecked(t *testing.T) {
	set := bson.Doc("$set", bson.Doc("a", 1))
	cursorOf := func(batch string, docs bson.A) func(id any) bson.D {
		return func(id any) bson.D { return bson.Doc("ok", 1, "cursor", bson.Doc("id", id, "ns", "db.c", batch, docs)) }
	}
	read := func(ctx context.Context, c *mongo.Collection) (int64, error) {
		cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
		if err != nil {
			return 0, err
		}
		all, err := mongo.All[bson.Raw](ctx, cursor)
		return int64(len(all)), err
	}
	updated := func(r *mongo.UpdateResult, err error) (int64, error) {
		if r != nil && (r.MatchedCount < 0 || r.ModifiedCount < 0 || r.UpsertedCount < 0) {
			return -1, err
		}
		return 0, err
	}
	for _, tt := range []struct {
		name, command, wants string
		reply                func(n any) bson.D
		may                  []any // the numbers that are valid here
		run                  func(ctx context.Context, c *mongo.Collection) (int64, error)
	}{
		{"EstimatedDocumentCount", "count", "n", func(n any) bson.D { return bson.Doc("ok", 1, "n", n) }, nil,
			func(ctx context.Context, c *mongo.Collection) (int64, error) { return c.EstimatedDocumentCount(ctx) }},
		{"Count", "count", "n", func(n any) bson.D { return bson.Doc("ok", 1, "n", n) }, nil,
			func(ctx context.Context, c *mongo.Collection) (int64, error) { return c.Count(ctx, bson.D{}) }},
		{"CountDocuments", "aggregate", "count", func(n any) bson.D { return cursorOf("firstBatch", bson.A{bson.Doc("_id", 1, "n", n)})(int64(0)) }, nil,
			func(ctx context.Context, c *mongo.Collection) (int64, error) { return c.CountDocuments(ctx, bson.D{}) }},
		{"n of UpdateMany", "update", "n", func(n any) bson.D { return bson.Doc("ok", 1, "n", n, "nModified", 0) }, []any{nil},
			func(ctx context.Context, c *mongo.Collection) (int64, error) {
				return updated(c.UpdateMany(ctx, bson.D{}, set))
			}},
		{"nModified of UpdateOne", "update", "nModified", func(n any) bson.D { return bson.Doc("ok", 1, "n", 1, "nModified", n) }, []any{nil},
			func(ctx context.Context, c *mongo.Collection) (int64, error) {
				return updated(c.UpdateOne(ctx, bson.D{}, set))
			}},
		{"upserted.index of UpdateOne", "update", "upserted", func(n any) bson.D {
			return bson.Doc("ok", 1, "n", 1, "nModified", 0, "upserted", bson.A{bson.Doc("index", n, "_id", 1)})
		}, nil, func(ctx context.Context, c *mongo.Collection) (int64, error) {
			return updated(c.UpdateOne(ctx, bson.D{}, set))
		}},
		{"n of DeleteMany", "delete", "n", func(n any) bson.D { return bson.Doc("ok", 1, "n", n) }, []any{nil},
			func(ctx context.Context, c *mongo.Collection) (int64, error) {
				r, err := c.DeleteMany(ctx, bson.D{})
				if r == nil {
					return 0, err
				}
				return r.DeletedCount, err
			}},
		{"the cursor's id", "find", "cursor.id", cursorOf("firstBatch", bson.A{}), []any{-1, math.MinInt32, int64(math.MinInt64)}, read},
		{"the id of the next batch", "getMore", "cursor.id", cursorOf("nextBatch", bson.A{}), []any{-1, math.MinInt32, int64(math.MinInt64)}, read},
		{"the values of Distinct", "distinct", "values", func(n any) bson.D { return bson.Doc("ok", 1, "values", n) }, nil,
			func(ctx context.Context, c *mongo.Collection) (int64, error) {
				list, err := mongo.Distinct[any](ctx, c, "a", bson.D{})
				return int64(len(list)), err
			}},
		{"the document of FindOneAndDelete", "findAndModify", "", func(n any) bson.D {
			return bson.Doc("ok", 1, "value", n, "lastErrorObject", bson.Doc("n", n))
		}, []any{bson.D{}}, func(ctx context.Context, c *mongo.Collection) (int64, error) {
			return 0, c.FindOneAndDelete(ctx, bson.D{}).Err()
		}},
		{"sizeOnDisk", "listDatabases", "", func(n any) bson.D {
			return bson.Doc("ok", 1, "totalSize", n, "databases", bson.A{bson.Doc("name", "db", "sizeOnDisk", n, "empty", false)})
		}, strangeNumbers, func(ctx context.Context, c *mongo.Collection) (int64, error) {
			_, err := c.Database().Client().ListDatabases(ctx, bson.D{})
			return 0, err
		}},
	} {
		for _, n := range strangeNumbers {
			t.Run(fmt.Sprintf("%s is %T %v", tt.name, n, n), func(t *testing.T) {
				d := mongotest.Start(t, mongotest.Standalone(), mongotest.Version("8.0"))
				c := connect(t, d, &options.Client{RetryReads: new(false), RetryWrites: new(false)}).Database("db").Collection("c")
				if _, err := c.InsertMany(t.Context(), []bson.D{{}, {}, {}}); err != nil {
					t.Fatal(err)
				}
				answered := 0
				d.Intercept(mongotest.Named(tt.command, "getMore", "killCursors"), 0, func(command mongotest.Command) mongotest.Answer {
					if answered++; command.Name == tt.command && answered == 1 {
						return mongotest.Answer{Reply: mustMarshal(t, tt.reply(n))}
					}
					return mongotest.Answer{Reply: mustMarshal(t, cursorOf("nextBatch", bson.A{})(int64(0)))}
				})
				got, err := tt.run(t.Context(), c)
				allowed := false
				for _, one := range tt.may {
					allowed = allowed || fmt.Sprint(one) == fmt.Sprint(n)
				}
				if got < 0 || err == nil && !allowed || err != nil && !allowed && !strings.Contains(err.Error(), tt.wants) {
					t.Errorf("got %d, %v, want an error that names %s", got, err, tt.wants)
				}
			})
		}
	}
}

// The next command of a cursor goes to the namespace in the reply. A namespace without a collection is an error, unless
// an earlier reply has named one: then that one stays.
func TestNamespacesOfRepliesAreChecked(t *testing.T) {
	for _, tt := range []struct {
		ns    any
		names bool
	}{
		{"db.c", true}, {"other.$cmd.aggregate", true}, {strings.Repeat("x", 70) + ".c", true},
		{nil, false}, {"", false}, {".", false}, {"db.", false}, {"db", false}, {".c", false}, {"a\x00b.c", false}, {"db.c\x00", false},
	} {
		for _, first := range []any{tt.ns, "db.first"} {
			t.Run(fmt.Sprintf("%.20q after %.20q", tt.ns, first), func(t *testing.T) {
				d := mongotest.Start(t, mongotest.Standalone(), mongotest.Version("8.0"))
				c := connect(t, d).Database("db").Collection("c")
				d.Intercept(mongotest.Named("find"), 0, func(mongotest.Command) mongotest.Answer {
					return mongotest.Answer{Reply: mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(7), "ns", first, "firstBatch", bson.A{})))}
				})
				left, went := 2, ""
				d.Intercept(mongotest.Named("getMore"), 0, func(command mongotest.Command) mongotest.Answer {
					db, _ := command.Body.Lookup("$db").StringOK()
					collection, _ := command.Body.Lookup("collection").StringOK()
					left, went = left-1, db+"."+collection
					return mongotest.Answer{Reply: mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(left), "ns", tt.ns, "nextBatch", bson.A{})))}
				})
				cursor, err := c.Find(t.Context(), bson.D{})
				if first == tt.ns && !tt.names {
					if err == nil || !strings.Contains(err.Error(), "cursor.ns") {
						t.Fatalf("err = %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want := "db.first"
				if tt.names {
					want = tt.ns.(string)
				}
				if _, err := mongo.All[bson.D](t.Context(), cursor); err != nil || went != want {
					t.Errorf("the last getMore went to %q, want %q; %v", went, want, err)
				}
			})
		}
	}
}
