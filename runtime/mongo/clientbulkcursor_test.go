package mongo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Bulk Write, "Result": an upserted _id that is null differs from no upsert.
func TestAnUpsertedNullDiffersFromNoUpsert(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.Version("8.0")))
	upsert := func(id any) *mongo.UpdateOneModel {
		return &mongo.UpdateOneModel{Filter: bson.Doc("_id", id), Update: bson.Doc("$set", bson.Doc("a", 1)), Upsert: new(true)}
	}
	writes := []mongo.ClientBulkWrite{inDBColl(upsert(nil)), inDBColl(upsert(nil))} // the second write finds what the first one inserted
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

// Bulk Write, "Handling the bulkWrite Server Response": behind a load balancer only the connection of the command leads
// to the cursor with its results.
func TestTheResultsOfABulkWriteKeepTheirConnection(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.LoadBalanced(2), mongotest.Version("8.0")))
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
	d, client, _, hello := connectCRUDProse(t)
	fail(t, d, once, failCommandData("getMore", "errorCode", errcode.UnknownError))
	answerEach(d, "killCursors", encodeReply(t, "ok", 0, "code", errcode.Unauthorized, "errmsg", "told to"))
	_, err := client.BulkWrite(t.Context(), largeUpserts(hello), verbose)
	failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok || !mongo.HasErrorCode(failed.Err, errcode.UnknownError) || !mongo.HasErrorCode(failed.Err, errcode.Unauthorized) {
		t.Errorf("err = %.300v", err)
	}
}

// The getMores for the results use the namespace in the first batch.
func TestEveryBatchOfTheResultsComesFromTheirCursor(t *testing.T) {
	d := mongotest.Start(t, mongotest.Version("8.0"))
	client, r := connectRecorded(t, d)
	batch := func(name string, id int64, index int) bson.Raw {
		results := bson.A{bson.Doc("ok", 1, "idx", index, "n", 1)}
		return encodeReply(t, "ok", 1, "cursor", bson.Doc("id", id, "ns", "admin.$cmd.bulkWrite", name, results),
			"nErrors", 0, "nInserted", 4, "nMatched", 0, "nModified", 0, "nUpserted", 0, "nDeleted", 0)
	}
	answerEach(d, "bulkWrite", batch("firstBatch", 5, 0))
	answerInTurn(d, "getMore", batch("nextBatch", 5, 1), batch("nextBatch", 5, 2), batch("nextBatch", 0, 3))
	var writes []mongo.ClientBulkWrite
	for i := range 4 {
		writes = append(writes, inDBColl(&mongo.InsertOneModel{Document: bson.Doc("_id", i)}))
	}
	result, err := client.BulkWrite(t.Context(), writes, verbose)
	if err != nil || len(result.InsertResults) != 4 {
		t.Fatalf("%+v, %v", result, err)
	}
	more := r.commands("getMore")
	for _, e := range more {
		collection, _ := e.Command.Lookup("collection").StringOK()
		db, _ := e.Command.Lookup("$db").StringOK()
		if id, _ := e.Command.Lookup("getMore").AsInt64OK(); id != 5 || collection != "$cmd.bulkWrite" || db != "admin" {
			t.Errorf("%v", e.Command)
		}
	}
	if len(more) != 3 {
		t.Errorf("%d getMores", len(more))
	}
}

// Find, getMore and killCursors Commands, "killCursors": only the router with the results can end them, and behind a load balancer
// only the connection of the command leads to it.
func TestTheResultsOfABulkWriteAreEndedWhereTheyAre(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{"three routers": mongotest.Sharded(3), "a load balancer": mongotest.LoadBalanced(3)} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, shape, mongotest.Version("8.0"))
			client, r := connectRecorded(t, d)
			const times = 8
			open := encodeReply(t, "ok", 1, "cursor", bson.Doc("id", int64(5), "ns", "admin.$cmd.bulkWrite", "firstBatch", bson.A{}),
				"nErrors", 0, "nInserted", 1, "nMatched", 0, "nModified", 0, "nUpserted", 0, "nDeleted", 0)
			refused := encodeReply(t, "ok", 0, "code", errcode.UnknownError, "errmsg", "told to")
			for command, reply := range map[string]bson.Raw{"bulkWrite": open, "getMore": refused} {
				d.Intercept(mongotest.Named(command), times, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
			}
			for range times {
				writes := []mongo.ClientBulkWrite{inDBColl(&mongo.InsertOneModel{Document: bson.D{}})}
				if _, err := client.BulkWrite(t.Context(), writes, verbose); !mongo.HasErrorCode(err, errcode.UnknownError) {
					t.Fatal(err)
				}
			}
			sent, ends := r.commands("bulkWrite"), r.commands("killCursors")
			if len(sent) != times || len(ends) != times {
				t.Fatalf("%d messages, %d killCursors", len(sent), len(ends))
			}
			for i := range sent {
				was, is := sent[i], ends[i]
				server, _, _ := strings.Cut(was.ConnectionID, "[")
				if !strings.HasPrefix(is.ConnectionID, server+"[") || was.ServiceID != nil && was.ConnectionID != is.ConnectionID {
					t.Errorf("the results are at %s, the killCursors went to %s", was.ConnectionID, is.ConnectionID)
				}
			}
		})
	}
}
