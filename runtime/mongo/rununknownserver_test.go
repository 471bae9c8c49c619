package mongo_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The server becomes Unknown after a read has selected it and before the read is sent.
func TestReadPreferenceIsSentToAServerThatBecameUnknown(t *testing.T) {
	server := mongotest.Start(t, mongotest.Sharded(1))
	if err := server.Fail(mongotest.FailPoint{Commands: []string{"ping"}, Code: 10107}); err != nil {
		t.Fatal(err)
	}
	var client *mongo.Client
	var armed atomic.Bool
	var sent bson.Raw
	o := &options.Client{
		ReadPreference: &options.ReadPreference{Mode: options.Secondary},
		PoolMonitor: &event.PoolMonitor{ConnectionCheckedOut: func(*event.ConnectionCheckedOut) {
			if armed.CompareAndSwap(true, false) {
				client.Database("admin").RunCommand(context.Background(), bson.D{{Key: "ping", Value: 1}})
			}
		}},
		CommandMonitor: &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStarted) {
			if e.CommandName == "find" {
				sent = e.Command
			}
		}},
	}
	client, err := mongo.Connect(t.Context(), server.URI(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	people := client.Database("d").Collection("people")
	if _, err := people.Find(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	if _, err := people.Find(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	if armed.Load() {
		t.Fatal("the server did not become Unknown")
	}
	if mode, _ := sent.Lookup("$readPreference", "mode").StringOK(); mode != "secondary" {
		t.Errorf("sent %v", sent)
	}
}
