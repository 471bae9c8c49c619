package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Bulk Write, "Result": a null as upserted _id differs from no upsert.
func TestAnUpsertedNullIsToldFromNone(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.Version("8.0")))
	upsert := func(id any) *mongo.UpdateOneModel {
		return &mongo.UpdateOneModel{Filter: bson.Doc("_id", id), Update: bson.Doc("$set", bson.Doc("a", 1)), Upsert: new(true)}
	}
	writes := []mongo.ClientBulkWrite{inDBColl(upsert(nil)), inDBColl(upsert(nil))} // the second one finds what the first one made
	result, err := client.BulkWrite(t.Context(), writes, verbose)
	if err != nil {
		t.Fatal(err)
	}
	if first, second := result.UpdateResults[0].UpsertedID, result.UpdateResults[1].UpsertedID; first != (bson.Null{}) || second != nil {
		t.Errorf("upserted %#v, then %#v", first, second)
	}
	c := client.Database("db").Collection("other")
	for _, want := range []any{bson.Null{}, nil} {
		one, err := c.UpdateOne(t.Context(), bson.Doc("_id", nil), bson.Doc("$set", bson.Doc("a", 1)), &options.UpdateOne{Upsert: new(true)})
		if err != nil || one.UpsertedID != want {
			t.Errorf("UpdateOne upserted %#v, %v, want %#v", one.UpsertedID, err, want)
		}
	}
}

// Bulk Write, "Handling the bulkWrite Server Response": behind a load balancer only the connection of the command leads to the
// cursor with its results.
func TestTheResultsOfABulkWriteKeepTheirConnection(t *testing.T) {
	client, r := recorded(t, mongotest.Start(t, mongotest.LoadBalanced(2), mongotest.Version("8.0")))
	result, err := client.BulkWrite(t.Context(), largeUpserts(limits{MaxBSONObjectSize: 16 << 20}), verbose)
	if err != nil || len(result.UpdateResults) != 2 {
		t.Fatalf("err = %.300v", err)
	}
	sent, more := r.commands("bulkWrite"), r.commands("getMore")
	if len(sent) != 1 || len(more) != 1 {
		t.Fatalf("%d messages, %d getMore", len(sent), len(more))
	}
	if sent[0].ConnectionID != more[0].ConnectionID || *sent[0].ServiceID != *more[0].ServiceID {
		t.Errorf("the command went to %s, the getMore to %s", sent[0].ConnectionID, more[0].ConnectionID)
	}
}

// Bulk Write, "Top-Level Errors": the error of killCursors is reported with the error that made it necessary.
func TestAFailedKillOfTheResultsIsReported(t *testing.T) {
	d, client, _, hello := crudProse(t)
	fail(t, d, once, failing("getMore", "errorCode", errcode.UnknownError))
	answered(d, "killCursors", document(t, "ok", 0, "code", errcode.Unauthorized, "errmsg", "told to"))
	_, err := client.BulkWrite(t.Context(), largeUpserts(hello), verbose)
	failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok || !mongo.HasCode(failed.Err, errcode.UnknownError) || !mongo.HasCode(failed.Err, errcode.Unauthorized) {
		t.Errorf("err = %.300v", err)
	}
}
