package mongo_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Each message of a bulk write is retried unless it holds itself a write to many documents.
func TestEachMessageOfABulkWriteDecidesAboutItsRetry(t *testing.T) {
	large := strings.Repeat("x", 15<<20) // three of these fill a message
	var models []mongo.WriteModel
	var writes []mongo.ClientBulkWrite
	add := func(m mongo.WriteModel) {
		models = append(models, m)
		writes = append(writes, mongo.ClientBulkWrite{Database: "shop", Collection: "things", Model: m})
	}
	for i := range 4 {
		add(&mongo.ReplaceOneModel{Filter: bson.Doc("_id", i), Replacement: bson.Doc("x", large), Upsert: new(true)})
	}
	add(&mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("y", 1))})
	for name, run := range map[string]func(context.Context, *mongo.Collection) error{
		"update": func(ctx context.Context, c *mongo.Collection) error { _, err := c.BulkWrite(ctx, models); return err },
		"bulkWrite": func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.Database().Client().BulkWrite(ctx, writes)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, events := recorded(t, d)
			c := client.Database("shop").Collection("things")
			if err := c.Database().CreateCollection(t.Context(), "things"); err != nil {
				t.Fatal(err)
			}
			fail(t, d, bson.Doc("times", 1), failing(name, "errorCode", 91, "errorLabels", bson.A{"RetryableWriteError"}))
			if err := run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			var numbered []bool
			for _, e := range events.commands(name) {
				numbered = append(numbered, !e.Command.Lookup("txnNumber").IsZero())
			}
			if len(numbered) != 3 || !numbered[0] || !numbered[1] || numbered[2] {
				t.Errorf("which of the messages have a txnNumber: %v", numbered)
			}
		})
	}
}

// A server that was too busy for the handshake has written nothing, so the message that follows decides anew.
func TestMessageAfterAnOverloadDecidesAboutItsRetry(t *testing.T) {
	models := []mongo.WriteModel{
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 1), Update: bson.Doc("$set", bson.Doc("x", 1))},
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 2), Update: bson.Doc("$set", bson.Doc("x", 2))},
		&mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("y", 1))},
	}
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("heartbeatFrequencyMS=100000&serverMonitoringMode=poll", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		time.Sleep(time.Second) // the monitor knows the server, and there is no other connection
		hello := mongotest.Named("hello", "isMaster", "ismaster")
		s.d.Intercept(hello, 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Drop: true} })
		small := document(t, "ok", 1, "isWritablePrimary", true, "setName", "rs", "minWireVersion", 0, "maxWireVersion", 25,
			"logicalSessionTimeoutMinutes", 30, "maxWriteBatchSize", 2)
		s.d.Intercept(hello, 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: small} })
		s.answerWith("update", mongotest.Answer{Reply: document(t, "ok", 0, "code", 189, "errmsg", "no", "errorLabels", bson.A{"RetryableWriteError"})})
		if _, err := client.Database("shop").Collection("things").BulkWrite(t.Context(), models); err != nil {
			t.Fatal(err)
		}
		var numbered []bool
		for _, e := range events.commands("update") {
			numbered = append(numbered, !e.Command.Lookup("txnNumber").IsZero())
		}
		if !slices.Equal(numbered, []bool{true, true, false}) {
			t.Errorf("which of the messages have a txnNumber: %v", numbered)
		}
	}, mongotest.ReplicaSet(1))
}
