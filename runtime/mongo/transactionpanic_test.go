package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A transaction whose callback panics is aborted before the panic goes on: nothing else ends it, and it holds its
// locks.
func TestWithTransactionAbortsWhatPanics(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	c := client.Database("shop").Collection("things")
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if v := recover(); v != "on purpose" {
				t.Errorf("recovered %v", v)
			}
		}()
		_ = session.WithTransaction(t.Context(), func(ctx context.Context) error {
			if _, err := c.InsertOne(ctx, bson.D{}); err != nil {
				t.Error(err)
			}
			panic("on purpose")
		})
	}()
	if err := client.Close(t.Context()); err != nil { // waits for the abort
		t.Error(err)
	}
	if n := len(r.commands("abortTransaction")); n != 1 {
		t.Errorf("%d aborts, want one", n)
	}
}
