package mongo_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Each result has the index of its write, whatever kinds of writes earlier messages held.
func TestResultsOfLaterMessagesKeepTheirPlaces(t *testing.T) {
	models := []mongo.ClientWriteModel{
		&mongo.InsertOneModel{Document: bson.Doc("_id", "a")},
		&mongo.InsertOneModel{Document: bson.Doc("_id", "b")},
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", "a"), Update: bson.Doc("$set", bson.Doc("x", 1))},
		&mongo.DeleteOneModel{Filter: bson.Doc("_id", "nothing")},
		&mongo.InsertOneModel{Document: bson.Doc("_id", "a")}, // a duplicate
		&mongo.DeleteOneModel{Filter: bson.Doc("_id", "b")},
		&mongo.InsertOneModel{Document: bson.Doc("_id", "c")},
		&mongo.ReplaceOneModel{Filter: bson.Doc("_id", "d"), Replacement: bson.Doc("x", 2), Upsert: new(true)},
		&mongo.DeleteOneModel{Filter: bson.Doc("_id", "c")},
	}
	for _, size := range []int{2, 3, 4, 9} {
		inSmallBatches(t, size, func(t *testing.T, s *scene, client *mongo.Client, events *recorder) {
			var writes []mongo.ClientBulkWrite
			for _, m := range models {
				writes = append(writes, mongo.ClientBulkWrite{Database: "shop", Collection: "things", Model: m})
			}
			result, err := client.BulkWrite(t.Context(), writes, &options.ClientBulkWrite{Ordered: new(false), VerboseResults: new(true)})
			failed, ok := errors.AsType[fault.ClientBulkWriteException](err)
			if !ok || len(failed.WriteErrors) != 1 || failed.WriteErrors[4].Index != 4 || result == nil {
				t.Fatalf("%d in a message: %v, %v", size, result, err)
			}
			if sent, want := len(events.commands("bulkWrite")), (len(models)+size-1)/size; sent != want {
				t.Errorf("%d in a message: %d messages, want %d", size, sent, want)
			}
			if want := map[int]mongo.ClientBulkWriteInsertResult{
				0: {InsertedID: "a"}, 1: {InsertedID: "b"}, 6: {InsertedID: "c"},
			}; !reflect.DeepEqual(result.InsertResults, want) {
				t.Errorf("%d in a message: inserts %v, want %v", size, result.InsertResults, want)
			}
			if want := map[int]mongo.ClientBulkWriteUpdateResult{
				2: {MatchedCount: 1, ModifiedCount: 1}, 7: {MatchedCount: 1, UpsertedID: "d"},
			}; !reflect.DeepEqual(result.UpdateResults, want) {
				t.Errorf("%d in a message: updates %v, want %v", size, result.UpdateResults, want)
			}
			if want := map[int]mongo.ClientBulkWriteDeleteResult{
				3: {}, 5: {DeletedCount: 1}, 8: {DeletedCount: 1},
			}; !reflect.DeepEqual(result.DeleteResults, want) {
				t.Errorf("%d in a message: deletes %v, want %v", size, result.DeleteResults, want)
			}
			if result.InsertedCount != 3 || result.DeletedCount != 2 || result.UpsertedCount != 1 || result.ModifiedCount != 1 {
				t.Errorf("%d in a message: %+v", size, result)
			}
		})
	}
}

// So it is with the bulk writes of a collection, and with InsertMany.
func TestResultsOfLaterMessagesOfACollectionKeepTheirPlaces(t *testing.T) {
	for _, size := range []int{1, 2, 3, 9} {
		inSmallBatches(t, size, func(t *testing.T, s *scene, client *mongo.Client, events *recorder) {
			c := client.Database("shop").Collection("things")
			upsert := func(id string) mongo.WriteModel {
				return &mongo.UpdateOneModel{Filter: bson.Doc("_id", id), Update: bson.Doc("$set", bson.Doc("x", 1)), Upsert: new(true)}
			}
			insert := func(id string) mongo.WriteModel { return &mongo.InsertOneModel{Document: bson.Doc("_id", id)} }
			result, err := c.BulkWrite(t.Context(), []mongo.WriteModel{
				upsert("a"), insert("b"), upsert("c"), upsert("a"), insert("b"), insert("d"), upsert("e"), insert("f"),
			}, &options.BulkWrite{Ordered: new(false)})
			failed, ok := errors.AsType[fault.BulkWriteException](err)
			if !ok || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Index != 4 || result == nil {
				t.Fatalf("%d in a message: %v, %v", size, result, err)
			}
			if want := map[int]any{0: "a", 2: "c", 6: "e"}; !reflect.DeepEqual(result.UpsertedIDs, want) {
				t.Errorf("%d in a message: upserted %v, want %v", size, result.UpsertedIDs, want)
			}
			if want := map[int]any{1: "b", 5: "d", 7: "f"}; !reflect.DeepEqual(result.InsertedIDs, want) {
				t.Errorf("%d in a message: inserted %v, want %v", size, result.InsertedIDs, want)
			}
			var documents []any
			for _, id := range []string{"g", "h", "a", "i", "b", "j"} {
				documents = append(documents, bson.Doc("_id", id))
			}
			many, err := c.InsertMany(t.Context(), documents, &options.InsertMany{Ordered: new(false)})
			failed, ok = errors.AsType[fault.BulkWriteException](err)
			if !ok || len(failed.WriteErrors) != 2 || failed.WriteErrors[0].Index != 2 || failed.WriteErrors[1].Index != 4 {
				t.Fatalf("%d in a message: %v", size, err)
			}
			if want := []any{"g", "h", "i", "j"}; !reflect.DeepEqual(many.InsertedIDs, want) {
				t.Errorf("%d in a message: inserted %v, want %v", size, many.InsertedIDs, want)
			}
		})
	}
}
