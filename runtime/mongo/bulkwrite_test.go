package mongo_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func insertOne(kv ...any) *mongo.InsertOneModel {
	return &mongo.InsertOneModel{Document: bson.Doc(kv...)}
}

func TestBulkWriteOnEachShape(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		for _, ordered := range []bool{true, false} {
			items := client.Database("shop").Collection(fmt.Sprint("items", ordered))
			result, err := items.BulkWrite(t.Context(), []mongo.WriteModel{
				insertOne("_id", 1, "n", 1),
				insertOne("_id", 2, "n", 1),
				insertOne("n", 5),
				&mongo.UpdateManyModel{Filter: bson.Doc("n", 1), Update: bson.Doc("$inc", bson.Doc("n", 1))},
				&mongo.UpdateOneModel{Filter: bson.Doc("_id", 7), Update: bson.Doc("$set", bson.Doc("n", 7)), Upsert: new(true)},
				&mongo.ReplaceOneModel{Filter: bson.Doc("_id", 1), Replacement: bson.Doc("n", 9)},
				&mongo.DeleteOneModel{Filter: bson.Doc("_id", 2)},
				&mongo.DeleteManyModel{Filter: bson.Doc("n", bson.Doc("$gt", 100))},
			}, &options.BulkWrite{Ordered: &ordered})
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := result.InsertedIDs[2].(bson.ObjectID); !ok {
				t.Errorf("InsertedIDs = %v, lacks the generated one", result.InsertedIDs)
			}
			result.InsertedIDs = nil
			want := &mongo.BulkWriteResult{
				Acknowledged: true, InsertedCount: 3, MatchedCount: 3, ModifiedCount: 3, DeletedCount: 1, UpsertedCount: 1,
				UpsertedIDs: map[int]any{4: int32(7)},
			}
			if !reflect.DeepEqual(result, want) {
				t.Errorf("ordered %v: %+v, want %+v", ordered, result, want)
			}
		}
	})
}

func TestBulkWriteSendsOneMessagePerRunOfACommand(t *testing.T) {
	tests := []struct {
		name    string
		ordered bool
		want    []string
	}{
		{"ordered", true, []string{"insert", "update", "insert", "delete"}},
		{"unordered", false, []string{"insert", "update", "delete"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, r := connectRecorded(t, mongotest.Start(t))
			_, err := client.Database("d").Collection("c").BulkWrite(t.Context(), []mongo.WriteModel{
				insertOne("_id", 1),
				&mongo.UpdateOneModel{Filter: bson.Doc("_id", 1), Update: bson.Doc("$set", bson.Doc("n", 7))},
				&mongo.ReplaceOneModel{Filter: bson.Doc("_id", 1), Replacement: bson.Doc("n", 9)},
				insertOne("_id", 2),
				insertOne("_id", 3),
				&mongo.DeleteOneModel{Filter: bson.Doc("_id", 2)},
			}, &options.BulkWrite{Ordered: &tt.ordered, Comment: "bulk"})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			ids := map[int64]bool{}
			for _, e := range r.started {
				names = append(names, e.CommandName)
				ids[e.OperationID] = true
				if got, _ := e.Command.Lookup("comment").StringOK(); got != "bulk" {
					t.Errorf("%s lacks the comment", e.CommandName)
				}
			}
			if !slices.Equal(names, tt.want) || len(ids) != 1 {
				t.Errorf("%v of operations %v, want %v of one", names, ids, tt.want)
			}
		})
	}
}

func TestBulkWriteErrorsNameTheCallersWrites(t *testing.T) {
	models := []mongo.WriteModel{
		insertOne("_id", 1), // a duplicate
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 1), Update: bson.Doc("$set", bson.Doc("n", 7))},
		insertOne("_id", 2),
		insertOne("_id", 1),
		&mongo.DeleteOneModel{Filter: bson.Doc("_id", 9)},
		insertOne("_id", 3),
	}
	tests := []struct {
		name        string
		models      []mongo.WriteModel
		ordered     bool
		failed      []int
		unprocessed []int
		inserted    []int
	}{
		{"ordered, the first fails", models, true, []int{0}, []int{1, 2, 3, 4, 5}, nil},
		{"ordered, one in a run fails", models[1:], true, []int{2}, []int{3, 4}, []int{1}},
		{"unordered", models, false, []int{0, 3}, nil, []int{2, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items := connect(t, mongotest.Start(t)).Database("d").Collection("c")
			if _, err := items.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
				t.Fatal(err)
			}
			result, err := items.BulkWrite(t.Context(), tt.models, &options.BulkWrite{Ordered: &tt.ordered})
			failed, ok := errors.AsType[mongo.BulkWriteException](err)
			if !ok || !mongo.IsDuplicateKeyError(err) {
				t.Fatalf("err = %v", err)
			}
			var at []int
			for _, e := range failed.WriteErrors {
				at = append(at, e.Index)
				if e.Request != tt.models[e.Index] {
					t.Errorf("error %d names the request %v", e.Index, e.Request)
				}
			}
			if !slices.Equal(at, tt.failed) || !slices.Equal(failed.Unprocessed, tt.unprocessed) {
				t.Errorf("failed %v, unprocessed %v, want %v and %v", at, failed.Unprocessed, tt.failed, tt.unprocessed)
			}
			if got := slices.Sorted(maps.Keys(result.InsertedIDs)); !slices.Equal(got, tt.inserted) {
				t.Errorf("inserted %v, want %v", got, tt.inserted)
			}
		})
	}
}

func TestBulkWriteSplitsByCountAndSize(t *testing.T) {
	t.Run("count", func(t *testing.T) {
		client, r := connectRecorded(t, mongotest.Start(t))
		items := client.Database("d").Collection("c")
		models := make([]mongo.WriteModel, 100_001)
		for i := range models {
			models[i] = &mongo.DeleteOneModel{Filter: bson.Doc("_id", i)}
		}
		result, err := items.BulkWrite(t.Context(), models)
		if err != nil || result.DeletedCount != 0 || len(r.commands("delete")) != 2 {
			t.Errorf("%+v, %v in %d messages", result, err, len(r.commands("delete")))
		}
	})
	t.Run("size", func(t *testing.T) {
		client, r := connectRecorded(t, mongotest.Start(t))
		text := strings.Repeat("x", 15<<20)
		models := []mongo.WriteModel{insertOne("_id", 0, "t", text), insertOne("_id", 1, "t", text), insertOne("_id", 2, "t", text),
			insertOne("_id", 3, "t", text), insertOne("_id", 0)}
		result, err := client.Database("d").Collection("c").BulkWrite(t.Context(), models)
		failed, ok := errors.AsType[mongo.BulkWriteException](err)
		if !ok || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Index != 4 || result.InsertedCount != 4 {
			t.Errorf("%+v, %v", result.InsertedCount, failed.WriteErrors)
		}
		if n := len(r.commands("insert")); n != 2 {
			t.Errorf("%d messages, want 2", n)
		}
	})
}

// The third document and the sixth are duplicates, and the fourth, which is never sent, splits the insert into two
// messages.
func TestInsertedIDsLackWhatFailed(t *testing.T) {
	large := bson.Doc("_id", "large", "t", strings.Repeat("x", 17<<20))
	var docs []bson.D
	for _, id := range []int{0, 1, 1, -1, 2, 0, 3} {
		if id < 0 {
			docs = append(docs, large)
			continue
		}
		docs = append(docs, bson.Doc("_id", id))
	}
	items := connect(t, mongotest.Start(t)).Database("d").Collection("c")
	for _, tt := range []struct {
		ordered bool
		want    []any
	}{
		{true, []any{int32(0), int32(1)}},
		{false, []any{int32(0), int32(1), int32(2), int32(3)}},
	} {
		if _, err := items.DeleteMany(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
		result, err := items.InsertMany(t.Context(), docs, &options.InsertMany{Ordered: &tt.ordered})
		if err == nil || !slices.Equal(result.InsertedIDs, tt.want) {
			t.Errorf("ordered %v: inserted %v, %v, want %v", tt.ordered, result.InsertedIDs, err, tt.want)
		}
	}
}

// A document that no server takes fails like any other write: it does not spoil the rest.
func TestTooLargeDocumentIsAWriteError(t *testing.T) {
	large := bson.Doc("_id", "large", "t", strings.Repeat("x", 17<<20))
	docs := []bson.D{bson.Doc("_id", 0), large, bson.Doc("_id", 2)}
	tests := []struct {
		name        string
		ordered     bool
		inserted    []any
		unprocessed []int
	}{
		{"ordered", true, []any{int32(0)}, []int{2}},
		{"unordered", false, []any{int32(0), int32(2)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items := connect(t, mongotest.Start(t)).Database("d").Collection("c")
			result, err := items.InsertMany(t.Context(), docs, &options.InsertMany{Ordered: &tt.ordered})
			failed, ok := errors.AsType[mongo.BulkWriteException](err)
			if !ok || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Index != 1 || !mongo.HasErrorCode(err, errcode.BSONObjectTooLarge) {
				t.Fatalf("err = %v", err)
			}
			if !slices.Equal(result.InsertedIDs, tt.inserted) || !slices.Equal(failed.Unprocessed, tt.unprocessed) {
				t.Errorf("inserted %v, not tried %v", result.InsertedIDs, failed.Unprocessed)
			}
			if n, err := items.CountDocuments(t.Context(), bson.D{}); err != nil || int(n) != len(tt.inserted) {
				t.Errorf("%d documents, %v", n, err)
			}
		})
	}
}

func TestBulkWriteRetriesEachMessageThatMayBe(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded()
		items := client.Database("d").Collection("c")
		s.fail(bson.Doc("times", 1), bson.Doc("failCommands", bson.A{"insert"}, "closeConnection", true))
		fail2 := bson.Doc("failCommands", bson.A{"update"}, "closeConnection", true)
		models := []mongo.WriteModel{
			insertOne("_id", 1), insertOne("_id", 2),
			&mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$inc", bson.Doc("n", 1))},
		}
		if result, err := items.BulkWrite(t.Context(), models); err != nil || result.InsertedCount != 2 || result.ModifiedCount != 2 {
			t.Fatalf("%+v, %v", result, err)
		}
		for _, e := range r.commands("insert") {
			if e.Command.Lookup("txnNumber").IsZero() {
				t.Error("an insert without a number")
			}
		}
		if n := len(r.commands("insert")); n != 2 {
			t.Errorf("%d inserts, want 2", n)
		}
		if !r.commands("update")[0].Command.Lookup("txnNumber").IsZero() {
			t.Error("an update of many has a number")
		}
		s.fail(bson.Doc("times", 1), fail2)
		result, err := items.BulkWrite(t.Context(), append([]mongo.WriteModel{insertOne("_id", 3)}, models[2], insertOne("_id", 4)))
		failed, ok := errors.AsType[mongo.BulkWriteException](err)
		if !ok || !mongo.IsNetworkError(err) || result.InsertedCount != 1 || !slices.Equal(failed.Unprocessed, []int{2}) {
			t.Errorf("%+v, %v, not tried %v", result, err, failed.Unprocessed)
		}
	}, mongotest.ReplicaSet(3))
}

// The writes of a message that cannot be written were not tried, also those before the one at fault.
func TestBulkWriteWithAnItemThatCannotBeEncoded(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	update := func(hint any) mongo.WriteModel {
		return &mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("a", 1)), Hint: hint}
	}
	models := []mongo.WriteModel{insertOne("_id", 1), update(nil), update(func() {}), update(nil)}
	result, err := client.Database("d").Collection("c").BulkWrite(t.Context(), models)
	failed, ok := errors.AsType[mongo.BulkWriteException](err)
	if !ok || result.InsertedCount != 1 || !slices.Equal(failed.Unprocessed, []int{1, 2, 3}) || len(r.commands("update")) != 0 {
		t.Errorf("%+v, %v, not tried %v", result, err, failed.Unprocessed)
	}
}

func TestBulkWriteMisuse(t *testing.T) {
	items := connect(t, mongotest.Start(t)).Database("d").Collection("c")
	set := bson.Doc("$set", bson.Doc("a", 1))
	tests := []struct {
		name   string
		models []mongo.WriteModel
		want   string
	}{
		{"nothing", nil, "no models"},
		{"nil", []mongo.WriteModel{nil}, "model 0: the model is nil"},
		{"nil pointer", []mongo.WriteModel{insertOne("_id", 1), (*mongo.DeleteOneModel)(nil)}, "model 1: the model is nil"},
		{"nil document", []mongo.WriteModel{&mongo.InsertOneModel{}}, "model 0: the document is nil"},
		{"nil filter", []mongo.WriteModel{&mongo.UpdateOneModel{Update: set}}, "the filter is nil"},
		{"nil filter of a delete", []mongo.WriteModel{&mongo.DeleteManyModel{}}, "the filter is nil"},
		{"bytes as filter", []mongo.WriteModel{&mongo.DeleteOneModel{Filter: []byte{5, 0, 0, 0, 0}}}, "convert the bytes to bson.Raw"},
		{"nil update", []mongo.WriteModel{&mongo.UpdateManyModel{Filter: bson.D{}}}, "the update is nil"},
		{"no operator", []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.Doc("a", 1)}}, "must begin with an operator"},
		{"no operator in a struct", []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: user{}}}, "must begin with an operator"},
		{"operator", []mongo.WriteModel{&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: set}}, "must not begin with the operator $set"},
		{"text as update", []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: "x"}}, "the update is of type string: pass a document or a pipeline"},
		{"pipeline as replacement", []mongo.WriteModel{&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: bson.A{set}}}, "pass a document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := items.BulkWrite(t.Context(), tt.models); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want it to say %q", err, tt.want)
			}
		})
	}
	if _, err := items.InsertMany(t.Context(), bson.Doc("a", 1)); err == nil || !strings.Contains(err.Error(), "one document") {
		t.Errorf("InsertMany of a bson.D: %v", err)
	}
	if n, err := items.CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
		t.Errorf("%d documents were written, %v", n, err)
	}
}

func TestUnacknowledgedBulkWrite(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	items := client.Database("d").Collection("c", &options.Collection{WriteConcern: &options.WriteConcern{W: 0}})
	result, err := items.BulkWrite(t.Context(), []mongo.WriteModel{insertOne("_id", 1), &mongo.DeleteOneModel{Filter: bson.Doc("_id", 1)}})
	if err != nil || result.Acknowledged || result.InsertedCount != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	if len(r.commands("insert")) != 1 || len(r.commands("delete")) != 1 {
		t.Error("a message is missing")
	}
}
