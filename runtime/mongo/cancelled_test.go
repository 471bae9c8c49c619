package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Cancelling a call that waits for its reply does not give a timeout error, although a deadline of the socket ends the
// wait.
func TestACancelledCallIsNotATimeout(t *testing.T) {
	d := mongotest.Start(t, mongotest.Standalone())
	for name, deadline := range map[string]time.Duration{"without a deadline": 0, "with a deadline": time.Hour} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if deadline > 0 {
				ctx, cancel = context.WithTimeout(ctx, deadline)
				defer cancel()
			}
			client := connect(t, d, &options.Client{CommandMonitor: &event.CommandMonitor{
				Started: func(context.Context, *event.CommandStarted) { time.AfterFunc(time.Millisecond, cancel) },
			}})
			fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", bson.A{"find"}, "blockConnection", true, "blockTimeMS", 60_000))
			err := client.Database("shop").Collection("users").FindOne(ctx, bson.D{}).Err()
			if mongo.IsTimeout(err) || !errors.Is(err, context.Canceled) || !mongo.IsNetworkError(err) {
				t.Errorf("timeout %v, cancelled %v, network %v: %v", mongo.IsTimeout(err), errors.Is(err, context.Canceled), mongo.IsNetworkError(err), err)
			}
		})
	}
}
