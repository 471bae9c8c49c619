package mongo_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestClientBulkWriteOnEachShape(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		in := func(collection string, model mongo.ClientWriteModel) mongo.ClientBulkWrite {
			return mongo.ClientBulkWrite{Database: "shop", Collection: collection, Model: model}
		}
		result, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{
			in("a", insertOne("_id", 1, "n", 1)),
			in("b", insertOne("_id", 1, "n", 1)),
			in("a", &mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$inc", bson.Doc("n", 1))}),
			in("b", &mongo.ReplaceOneModel{Filter: bson.Doc("_id", 7), Replacement: bson.Doc("n", 9), Upsert: new(true)}),
			in("b", &mongo.DeleteOneModel{Filter: bson.Doc("_id", 1)}),
		}, verbose)
		want := &mongo.ClientBulkWriteResult{
			Acknowledged: true, HasVerboseResults: true, InsertedCount: 2, MatchedCount: 1, ModifiedCount: 1, UpsertedCount: 1,
			DeletedCount:  1,
			InsertResults: map[int]mongo.ClientBulkWriteInsertResult{0: {InsertedID: int32(1)}, 1: {InsertedID: int32(1)}},
			UpdateResults: map[int]mongo.ClientBulkWriteUpdateResult{
				2: {MatchedCount: 1, ModifiedCount: 1}, 3: {MatchedCount: 1, UpsertedID: int32(7)},
			},
			DeleteResults: map[int]mongo.ClientBulkWriteDeleteResult{4: {DeletedCount: 1}},
		}
		if err != nil || !reflect.DeepEqual(result, want) {
			t.Errorf("%+v, %v, want %+v", result, err, want)
		}
	})
}

func TestClientBulkWriteErrors(t *testing.T) {
	client := connect(t, mongotest.Start(t))
	models := []mongo.ClientBulkWrite{
		inDBColl(insertOne("_id", 1)), inDBColl(insertOne("_id", 2)), inDBColl(insertOne("_id", 1)), inDBColl(insertOne("_id", 3)),
	}
	_, err := client.BulkWrite(t.Context(), models)
	failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok || len(failed.WriteErrors) != 1 || failed.WriteErrors[2].Index != 2 || failed.PartialResult.InsertedCount != 2 {
		t.Fatalf("err = %v", err)
	}
	if !mongo.IsDuplicateKeyError(err) || !strings.Contains(err.Error(), "(DuplicateKey)") {
		t.Errorf("err = %v", err)
	}
	_, err = client.BulkWrite(t.Context(), models, &options.ClientBulkWrite{Ordered: new(false)})
	failed, ok = errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok || len(failed.WriteErrors) != 3 || failed.PartialResult == nil || failed.PartialResult.InsertedCount != 1 {
		t.Fatalf("unordered: err = %v", err)
	}
}

func TestClientBulkWriteMisuse(t *testing.T) {
	client := connect(t, mongotest.Start(t))
	unacknowledged := &options.WriteConcern{W: 0}
	one := []mongo.ClientBulkWrite{inDBColl(insertOne("_id", 1))}
	tests := []struct {
		name   string
		writes []mongo.ClientBulkWrite
		o      *options.ClientBulkWrite
		want   string
	}{
		{"nothing", nil, nil, "no models"},
		{"no model", []mongo.ClientBulkWrite{{Database: "a", Collection: "b"}}, nil, "model 0: the model is nil"},
		{"no database", []mongo.ClientBulkWrite{{Collection: "b", Model: insertOne()}}, nil, "name of the database is empty"},
		{"no collection", []mongo.ClientBulkWrite{{Database: "b", Model: insertOne()}}, nil, "name of the collection is empty"},
		{"a dot", []mongo.ClientBulkWrite{{Database: "a.b", Collection: "c", Model: insertOne()}}, nil, "contains a dot"},
		{"unacknowledged and ordered", one, &options.ClientBulkWrite{WriteConcern: unacknowledged},
			"Cannot request unacknowledged write concern and ordered writes"},
		{"unacknowledged and verbose", one,
			&options.ClientBulkWrite{WriteConcern: unacknowledged, Ordered: new(false), VerboseResults: new(true)},
			"Cannot request unacknowledged write concern and verbose results"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := client.BulkWrite(t.Context(), tt.writes, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want it to say %q", err, tt.want)
			}
		})
	}
}

func TestClientBulkWriteIsRetriedUnlessItChangesMany(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded()
		s.fail(once, failCommandData("bulkWrite", "closeConnection", true))
		if result, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{inDBColl(insertOne("_id", 1))}); err != nil || result.InsertedCount != 1 {
			t.Fatalf("%+v, %v", result, err)
		}
		if n := len(r.commands("bulkWrite")); n != 2 {
			t.Errorf("%d commands, want 2", n)
		}
		s.fail(once, failCommandData("bulkWrite", "closeConnection", true))
		many := inDBColl(&mongo.DeleteManyModel{Filter: bson.D{}})
		if _, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{inDBColl(insertOne("_id", 2)), many}); !mongo.IsNetworkError(err) {
			t.Errorf("err = %v", err)
		}
	}, mongotest.ReplicaSet(3))
}

// Bulk Write, "Exception": an unordered bulk write has a partial result if any of its writes succeeded, even one that
// found nothing to change.
func TestPartialResultsOfWritesThatChangeNothing(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.Version("8.0")))
	same := inDBColl(&mongo.InsertOneModel{Document: bson.Doc("_id", 1)})
	if _, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{same}); err != nil {
		t.Fatal(err)
	}
	nothing := inDBColl(&mongo.UpdateOneModel{Filter: bson.Doc("_id", 2), Update: bson.Doc("$set", bson.Doc("a", 1))})
	for _, tt := range []struct {
		name    string
		writes  []mongo.ClientBulkWrite
		ordered bool
		partial bool
	}{
		{"one of two", []mongo.ClientBulkWrite{same, nothing}, false, true},
		{"neither", []mongo.ClientBulkWrite{same, same}, false, false},
		{"none behind the first", []mongo.ClientBulkWrite{same, nothing}, true, false},
		{"one before the first that fails", []mongo.ClientBulkWrite{nothing, same}, true, true},
	} {
		result, err := client.BulkWrite(t.Context(), tt.writes, &options.ClientBulkWrite{Ordered: &tt.ordered})
		failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
		if !ok || (failed.PartialResult != nil) != tt.partial || (result != nil) != tt.partial {
			t.Errorf("%s: %+v, %v", tt.name, failed.PartialResult, err)
		}
	}
}
