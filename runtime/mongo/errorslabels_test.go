package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Transactions, "Error Labels": errorLabels is a field at the top of a reply, whatever the reply reports.
func TestLabelsBesideWriteErrors(t *testing.T) {
	failure := bson.Doc("index", 0, "code", 2, "errmsg", "no")
	reply := encodeReply(t, "ok", 1, "n", 0, "nModified", 0, "writeErrors", bson.A{failure}, "errorLabels", bson.A{"Odd"})
	bulkReply := encodeReply(t, "ok", 1, "nErrors", 1, "nInserted", 0, "nUpserted", 0, "nMatched", 0, "nModified", 0, "nDeleted", 0,
		"errorLabels", bson.A{"Odd"}, "cursor", bson.Doc("id", int64(0), "ns", "admin.$cmd.bulkWrite",
			"firstBatch", bson.A{bson.Doc("ok", 0.0, "idx", 0, "code", 2, "errmsg", "no", "n", 0)}))
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	c := client.Database("shop").Collection("things")
	for _, tt := range []struct {
		name, command string
		reply         bson.Raw
		run           func() error
	}{
		{"InsertOne", "insert", reply, func() error { return failureOf(c.InsertOne(t.Context(), bson.D{})) }},
		{"InsertMany", "insert", reply, func() error { return failureOf(c.InsertMany(t.Context(), []bson.D{{}})) }},
		{"UpdateOne", "update", reply, func() error { return failureOf(c.UpdateOne(t.Context(), bson.D{}, bson.Doc("$set", bson.Doc("x", 1)))) }},
		{"Collection.BulkWrite", "insert", reply, func() error { return failureOf(c.BulkWrite(t.Context(), []mongo.WriteModel{insertOne("x", 1)})) }},
		{"Client.BulkWrite", "bulkWrite", bulkReply, func() error {
			return failureOf(client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{{Database: "shop", Collection: "things", Model: insertOne("x", 1)}}))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d.Control(tt.command, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: tt.reply} })
			if err := tt.run(); !mongo.HasErrorCode(err, 2) || !mongo.HasErrorLabel(err, "Odd") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// failureOf drops the result of an operation.
func failureOf[T any](_ T, err error) error { return err }

// Retryable Writes, "Determining Retryable Write Errors": an error with the label is retryable, also one of a single
// write.
func TestWriteErrorsThatMayBeRetried(t *testing.T) {
	failure := bson.Doc("index", 0, "code", 10107, "errmsg", "no")
	for _, tt := range []struct {
		name  string
		label string
		times int
		tries int
		want  bool // whether the operation succeeds
	}{
		{"labelled", "RetryableWriteError", 1, 2, true},
		{"labelled again", "RetryableWriteError", 2, 2, false},
		{"another label", "Odd", 1, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, events := connectRecorded(t, d)
			reply := encodeReply(t, "ok", 1, "n", 0, "writeErrors", bson.A{failure}, "errorLabels", bson.A{tt.label})
			for range tt.times {
				d.Control("insert", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
			}
			_, err := client.Database("shop").Collection("things").InsertMany(t.Context(), []bson.D{{}, {}})
			if (err == nil) != tt.want || err != nil && !(mongo.HasErrorCode(err, 10107) && mongo.HasErrorLabel(err, tt.label)) {
				t.Errorf("got %v", err)
			}
			sent := events.commands("insert")
			if len(sent) != tt.tries {
				t.Fatalf("%d tries, want %d", len(sent), tt.tries)
			}
			if first, last := sent[0].Command.Lookup("txnNumber"), sent[len(sent)-1].Command.Lookup("txnNumber"); !first.Equal(last) {
				t.Errorf("the tries have the numbers %v and %v", first, last)
			}
		})
	}
}
