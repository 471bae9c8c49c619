package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestMapsAreRefusedWhereOrderCounts(t *testing.T) {
	ctx, db := t.Context(), connect(t, mongotest.Start(t)).Database("d")
	c, two, one := db.Collection("c"), bson.M{"a": 1, "b": -1}, bson.M{"a": 1}
	set := bson.Doc("$set", bson.Doc("x", 1))
	tests := []orderTest{
		{"RunCommand", func(m any) error {
			err := db.RunCommand(ctx, m).Err()
			if e, ok := errors.AsType[mongo.CommandError](err); ok && e.Name == "CommandNotFound" {
				return nil // it was sent
			}
			return err
		}},
		{"sort of Find", func(m any) error {
			cursor, err := c.Find(ctx, bson.D{}, &options.Find{Sort: m})
			if err == nil {
				cursor.Close(ctx)
			}
			return err
		}},
		{"sort of FindOne", func(m any) error { return ignoreNoDocuments(c.FindOne(ctx, bson.D{}, &options.FindOne{Sort: m}).Err()) }},
		{"sort of FindOneAndUpdate", func(m any) error {
			return ignoreNoDocuments(c.FindOneAndUpdate(ctx, bson.D{}, set, &options.FindOneAndUpdate{Sort: m}).Err())
		}},
		{"sort of FindOneAndDelete", func(m any) error {
			return ignoreNoDocuments(c.FindOneAndDelete(ctx, bson.D{}, &options.FindOneAndDelete{Sort: m}).Err())
		}},
		{"sort of UpdateOne", func(m any) error {
			_, err := c.UpdateOne(ctx, bson.D{}, set, &options.UpdateOne{Sort: m})
			return err
		}},
		{"sort in a bulk write", func(m any) error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: set, Sort: m}})
			return err
		}},
	}
	tests = append(tests, mapsInReads(t, c)...)
	tests = append(tests, mapsInWrites(t, c)...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refused, ok := errors.AsType[mongo.ErrMapForOrderedArgument](tt.run(two))
			if !ok {
				t.Errorf("two keys: %v", tt.run(two))
			}
			if named := (mongo.ErrMapForOrderedArgument{ParamName: refused.ParamName}); refused != named {
				t.Errorf("%#v is not what a program compares it with, %#v", refused, named)
			}
			if err := tt.run(one); err != nil {
				t.Errorf("one key: %v", err)
			}
		})
	}
}

// orderTest passes a map as an argument whose key order matters.
type orderTest struct {
	name string
	run  func(m any) error
}

func mapsInReads(t *testing.T, c *mongo.Collection) []orderTest {
	ctx := t.Context()
	closed := func(cursor *mongo.Cursor, err error) error {
		if err == nil {
			cursor.Close(ctx)
		}
		return ignoreServerError(err)
	}
	counted := func(_ int64, err error) error { return ignoreServerError(err) }
	sorted := func(pipeline func(m any) any) func(m any) error {
		return func(m any) error { return closed(c.Aggregate(ctx, pipeline(m))) }
	}
	return []orderTest{
		{"hint of Find", func(m any) error { return closed(c.Find(ctx, bson.D{}, &options.Find{Hint: m})) }},
		{"lower bound of Find", func(m any) error { return closed(c.Find(ctx, bson.D{}, &options.Find{Min: m, Hint: "a_1"})) }},
		{"upper bound of FindOne", func(m any) error {
			return ignoreNoDocuments(ignoreServerError(c.FindOne(ctx, bson.D{}, &options.FindOne{Max: m, Hint: "a_1"}).Err()))
		}},
		{"hint of Aggregate", func(m any) error { return closed(c.Aggregate(ctx, bson.A{}, &options.Aggregate{Hint: m})) }},
		{"hint of CountDocuments", func(m any) error { return counted(c.CountDocuments(ctx, bson.D{}, &options.Count{Hint: m})) }},
		{"hint of Count", func(m any) error { return counted(c.Count(ctx, bson.D{}, &options.Count{Hint: m})) }},
		{"hint of Distinct", func(m any) error {
			return ignoreServerError(c.Distinct(ctx, "a", bson.D{}, &options.Distinct{Hint: m}).Err())
		}},
		{"sort of ExplainFind", func(m any) error {
			return ignoreServerError(c.Explain(ctx, mongo.ExplainFind(bson.D{}, &options.Find{Sort: m}), "queryPlanner").Err())
		}},
		{"hint of ExplainAggregate", func(m any) error {
			return ignoreServerError(c.Explain(ctx, mongo.ExplainAggregate(bson.A{}, &options.Aggregate{Hint: m}), "queryPlanner").Err())
		}},
		{"hint of ExplainDistinct", func(m any) error {
			return ignoreServerError(c.Explain(ctx, mongo.ExplainDistinct("a", bson.D{}, &options.Distinct{Hint: m}), "queryPlanner").Err())
		}},
		{"$sort in a Pipeline", sorted(func(m any) any { return mongo.Pipeline{{{Key: "$sort", Value: m}}} })},
		{"$sort in documents", sorted(func(m any) any { return []bson.D{{{Key: "$sort", Value: m}}} })},
		{"$sort in maps", sorted(func(m any) any { return []bson.M{{"$sort": m}} })},
		{"$sort in an array", sorted(func(m any) any { return bson.A{bson.D{}, bson.M{"$sort": m}}[1:] })},
		{"$sort in values", sorted(func(m any) any { return []any{bson.Doc("$sort", m)} })},
	}
}

func mapsInWrites(t *testing.T, c *mongo.Collection) []orderTest {
	ctx, set := t.Context(), bson.Doc("$set", bson.Doc("x", 1))
	bulk := func(model mongo.WriteModel) error {
		_, err := c.BulkWrite(ctx, []mongo.WriteModel{model})
		if err == nil || ignoreServerError(err) == nil {
			_, err = c.Database().Client().BulkWrite(ctx, []mongo.ClientBulkWrite{{Database: "d", Collection: "c", Model: model}})
		}
		return ignoreServerError(err)
	}
	return []orderTest{
		{"hint of UpdateMany", func(m any) error {
			_, err := c.UpdateMany(ctx, bson.D{}, set, &options.UpdateMany{Hint: m})
			return ignoreServerError(err)
		}},
		{"hint of DeleteOne", func(m any) error {
			_, err := c.DeleteOne(ctx, bson.D{}, &options.DeleteOne{Hint: m})
			return ignoreServerError(err)
		}},
		{"hint of DeleteMany", func(m any) error {
			_, err := c.DeleteMany(ctx, bson.D{}, &options.DeleteMany{Hint: m})
			return ignoreServerError(err)
		}},
		{"UpdateManyModel", func(m any) error { return bulk(&mongo.UpdateManyModel{Filter: bson.D{}, Update: set, Hint: m}) }},
		{"ReplaceOneModel", func(m any) error {
			return bulk(&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: bson.D{}, Hint: m})
		}},
		{"DeleteOneModel", func(m any) error { return bulk(&mongo.DeleteOneModel{Filter: bson.D{}, Hint: m}) }},
		{"DeleteManyModel", func(m any) error { return bulk(&mongo.DeleteManyModel{Filter: bson.D{}, Hint: m}) }},
		{"keys of an index", func(m any) error {
			_, err := c.CreateIndex(ctx, mongo.IndexModel{Keys: m})
			return ignoreServerError(err)
		}},
		{"keys of an index to drop", func(m any) error { return ignoreServerError(c.DropIndexWithKey(ctx, m)) }},
	}
}

// ignoreServerError returns nil for a server's error, because the argument has reached the server then.
func ignoreServerError(err error) error {
	if _, ok := errors.AsType[mongo.CommandError](err); ok {
		return nil
	}
	if _, ok := errors.AsType[mongo.WriteException](err); ok {
		return nil
	}
	if _, ok := errors.AsType[mongo.BulkWriteException](err); ok {
		return nil
	}
	if _, ok := errors.AsType[mongo.ClientBulkWriteException](err); ok {
		return nil
	}
	return err
}
