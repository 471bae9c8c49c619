package mongo_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// inSmallBatches runs a test with a client whose first connection leads to a server that takes only size writes in a
// message.
func inSmallBatches(t *testing.T, size int, test func(*testing.T, *scene, *mongo.Client, *recorder)) {
	t.Helper()
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("heartbeatFrequencyMS=100000&serverMonitoringMode=poll&appName=test", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		if err := s.internal.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // the monitors know the server, and this client has no other connection
		small := encodeReply(t, "ok", 1, "isWritablePrimary", true, "setName", "rs", "minWireVersion", 0, "maxWireVersion", 25,
			"logicalSessionTimeoutMinutes", 30, "maxWriteBatchSize", size)
		s.d.Intercept(isApplicationHello, 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: small} })
		test(t, s, client, &events)
	}, mongotest.ReplicaSet(1))
}

// isApplicationHello selects the hello that opens a connection of the application "test". The scene's own client opens
// connections, too.
func isApplicationHello(c mongotest.Command) bool {
	name, _ := c.Body.Lookup("client", "application", "name").StringOK()
	return name == "test"
}

// listTxnNumbers reports for each command of that name whether it had a transaction number.
func listTxnNumbers(events *recorder, name string) (list []bool) {
	for _, e := range events.commands(name) {
		list = append(list, !e.Command.Lookup("txnNumber").IsZero())
	}
	return list
}

// Each message of a bulk write is retried unless it holds a write to many documents itself.
func TestEachMessageOfABulkWriteDecidesAboutItsRetry(t *testing.T) {
	var models []mongo.WriteModel
	var writes []mongo.ClientBulkWrite
	add := func(m mongo.WriteModel) {
		models = append(models, m)
		writes = append(writes, mongo.ClientBulkWrite{Database: "shop", Collection: "things", Model: m})
	}
	for i := range 4 {
		add(&mongo.ReplaceOneModel{Filter: bson.Doc("_id", i), Replacement: bson.Doc("x", 1), Upsert: new(true)})
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
			inSmallBatches(t, 3, func(t *testing.T, s *scene, client *mongo.Client, events *recorder) {
				s.fail(once, failCommandData(name, "errorCode", 189, "errorLabels", bson.A{"RetryableWriteError"}))
				if err := run(t.Context(), client.Database("shop").Collection("things")); err != nil {
					t.Fatal(err)
				}
				if got := listTxnNumbers(events, name); !slices.Equal(got, []bool{true, true, false}) {
					t.Errorf("which of the messages have a txnNumber: %v", got)
				}
			})
		})
	}
}

// A server that was too busy for the handshake has written nothing, so the driver decides again about the next message.
func TestMessageAfterAnOverloadDecidesAboutItsRetry(t *testing.T) {
	models := []mongo.WriteModel{
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 1), Update: bson.Doc("$set", bson.Doc("x", 1))},
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 2), Update: bson.Doc("$set", bson.Doc("x", 2))},
		&mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("y", 1))},
	}
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("heartbeatFrequencyMS=100000&serverMonitoringMode=poll&appName=test", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		time.Sleep(time.Second) // the monitor knows the server, and there is no other connection
		s.d.Intercept(isApplicationHello, 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Drop: true} })
		small := encodeReply(t, "ok", 1, "isWritablePrimary", true, "setName", "rs", "minWireVersion", 0, "maxWireVersion", 25,
			"logicalSessionTimeoutMinutes", 30, "maxWriteBatchSize", 2)
		s.d.Intercept(isApplicationHello, 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: small} })
		s.answerWith("update", mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 189, "errmsg", "no", "errorLabels", bson.A{"RetryableWriteError"})})
		if _, err := client.Database("shop").Collection("things").BulkWrite(t.Context(), models); err != nil {
			t.Fatal(err)
		}
		if got := listTxnNumbers(&events, "update"); !slices.Equal(got, []bool{true, true, false}) {
			t.Errorf("which of the messages have a txnNumber: %v", got)
		}
	}, mongotest.ReplicaSet(1))
}

// A message whose try ends before there is a connection counts by its own writes, not by those of later messages.
func TestMessageWithoutAConnectionDecidesAboutItsRetry(t *testing.T) {
	multi := &mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("y", 1))}
	for _, tt := range []struct {
		name   string
		many   int  // which of the writes changes many documents
		grows  bool // the second connection takes longer messages
		failed bool
		want   []bool // which of the messages have a txnNumber
	}{
		{name: "the next message", many: 3, want: []bool{true, false}},
		{name: "this message", many: 2, failed: true},
		{name: "the longer message of the retry", many: 3, grows: true, want: []bool{false}},
	} {
		var models []mongo.WriteModel
		var writes []mongo.ClientBulkWrite
		for i := range 4 {
			var m mongo.ClientWriteModel = &mongo.UpdateOneModel{Filter: bson.Doc("_id", i), Update: bson.Doc("$set", bson.Doc("x", 1))}
			if i == tt.many {
				m = multi
			}
			models = append(models, m)
			writes = append(writes, mongo.ClientBulkWrite{Database: "shop", Collection: "things", Model: m})
		}
		for command, run := range map[string]func(context.Context, *mongo.Client) error{
			"update": func(ctx context.Context, c *mongo.Client) error {
				_, err := c.Database("shop").Collection("things").BulkWrite(ctx, models)
				return err
			},
			"bulkWrite": func(ctx context.Context, c *mongo.Client) error { _, err := c.BulkWrite(ctx, writes); return err },
		} {
			t.Run(tt.name+"/"+command, func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					var events recorder
					hosts := bson.A{s.d.Hosts()[0]}
					small := mongotest.Answer{Reply: encodeReply(t, "ok", 1, "isWritablePrimary", true, "setName", "rs0", "hosts", hosts,
						"minWireVersion", 0, "maxWireVersion", 25, "logicalSessionTimeoutMinutes", 30, "maxWriteBatchSize", 3)}
					s.d.Intercept(isApplicationHello, 1, func(mongotest.Command) mongotest.Answer { return small }) // the monitor's
					client := s.connect("heartbeatFrequencyMS=100000&serverMonitoringMode=poll&appName=test", &options.Client{CommandMonitor: events.monitor()})
					defer client.Close(context.Background())
					time.Sleep(time.Second) // the monitor knows the server, and there is no other connection
					down := mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 91, "errmsg", "going down")}
					s.d.Intercept(isApplicationHello, 1, func(mongotest.Command) mongotest.Answer { return down })
					if !tt.grows {
						s.d.Intercept(isApplicationHello, 1, func(mongotest.Command) mongotest.Answer { return small })
					}
					if err := run(t.Context(), client); (err != nil) != tt.failed {
						t.Fatal(err)
					}
					if got := listTxnNumbers(&events, command); !slices.Equal(got, tt.want) {
						t.Errorf("which of the messages have a txnNumber: %v, want %v", got, tt.want)
					}
				}, mongotest.ReplicaSet(1))
			})
		}
	}
}
