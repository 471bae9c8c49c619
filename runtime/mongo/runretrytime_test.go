package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Each try sends as maxTimeMS what is left of timeoutMS when it is sent, never what was left before.
//
// Client Side Operations Timeout, "Command Execution".
func TestARetrySendsTheTimeThatIsLeft(t *testing.T) {
	const timeout, each = 2 * time.Second, 300 * time.Millisecond
	failed := encodeReply(t, "ok", 0, "code", 6, "errmsg", "told to", "errorLabels", bson.A{"RetryableWriteError"})
	for name, run := range map[string]func(context.Context, *mongo.Collection) error{
		"find":   func(ctx context.Context, c *mongo.Collection) error { return c.FindOne(ctx, bson.D{}).Err() },
		"insert": insertEmpty,
		"aggregate": func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.CountDocuments(ctx, bson.D{})
			return err
		},
		"update": func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.UpdateOne(ctx, bson.D{}, bson.Doc("$set", bson.Doc("x", 1)))
			return err
		},
		"findAndModify": func(ctx context.Context, c *mongo.Collection) error {
			return c.FindOneAndDelete(ctx, bson.D{}).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, events := s.connectRecorded(&options.Client{Timeout: new(timeout)})
				c := s.insertThree(client)
				began := time.Now()
				s.d.Intercept(func(c mongotest.Command) bool { return c.Name == name }, 4, func(mongotest.Command) mongotest.Answer {
					time.Sleep(each)
					return mongotest.Answer{Reply: failed}
				})
				before := len(events.commands(name))
				if err := run(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				tries := events.commands(name)[before:]
				if len(tries) != 5 || time.Since(began) < 4*each {
					t.Fatalf("%d tries in %v", len(tries), time.Since(began))
				}
				for i, e := range tries {
					most := (timeout - time.Duration(i)*each).Milliseconds()
					if got, _ := e.Command.Lookup("maxTimeMS").AsInt64OK(); got > most || got < most-200 {
						t.Errorf("try %d has maxTimeMS %d, of %d ms that are left", i+1, got, most)
					}
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
