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

// Each retry avoids every router that has failed the operation, not just the last one.
//
// Retryable Writes, "Executing Retryable Write Commands"; Retryable Reads, "3a. Selecting the server for retry".
func TestEachRetryGoesToARouterThatHasNotFailed(t *testing.T) {
	overloaded := encodeReply(t, "ok", 0, "code", 462, "errmsg", "told to",
		"errorLabels", bson.A{"SystemOverloadedError", "RetryableError"})
	closed := encodeReply(t, "ok", 0, "code", 6, "errmsg", "told to", "errorLabels", bson.A{"RetryableWriteError"})
	operations := map[string]func(context.Context, *mongo.Collection) error{
		"find":   func(ctx context.Context, c *mongo.Collection) error { _, err := c.Find(ctx, bson.D{}); return err },
		"insert": func(ctx context.Context, c *mongo.Collection) error { return insertEmpty(ctx, c) },
		"count": func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.EstimatedDocumentCount(ctx)
			return err
		},
	}
	for _, tt := range []struct {
		name    string
		reply   bson.Raw
		routers int
		timeout *time.Duration // without one, only overloads are retried twice
	}{
		{"overloaded", overloaded, 3, nil},
		{"failing under timeoutMS", closed, 4, new(time.Minute)},
	} {
		for name, run := range operations {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					var events recorder
					client := s.connect("localThresholdMS=1000", &options.Client{CommandMonitor: events.monitor(), Timeout: tt.timeout})
					defer client.Close(context.Background())
					time.Sleep(time.Second) // all routers are known
					for range 8 {           // a retry that knows the last one alone is lucky now and then
						before := len(events.commands(name))
						s.d.Intercept(func(c mongotest.Command) bool { return c.Name == name }, tt.routers-1,
							func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: tt.reply} })
						if err := run(t.Context(), client.Database("test").Collection("test")); err != nil {
							t.Fatal(err)
						}
						met := map[string]bool{}
						tries := events.commands(name)[before:]
						for _, e := range tries {
							met[host(e.ConnectionID)] = true
						}
						if len(tries) != tt.routers || len(met) != tt.routers {
							t.Fatalf("%d tries met %v", len(tries), met)
						}
					}
				}, mongotest.Sharded(tt.routers))
			})
		}
	}
}
