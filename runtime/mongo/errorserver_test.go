package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The error of an operation with two tries names the server that sent it.
//
// Retryable Reads, "3c. If a retry attempt fails"; Retryable Writes, "Executing Retryable Write Commands".
func TestErrorsOfRetriesNameTheirServer(t *testing.T) {
	insert := func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertOne(ctx, bson.D{})
		return err
	}
	find := func(ctx context.Context, c *mongo.Collection) error { return c.FindOne(ctx, bson.D{}).Err() }
	for _, tt := range []struct {
		name, command string
		run           func(context.Context, *mongo.Collection) error
		labels        bson.A // the labels of the second error
		first         bool   // the caller gets the first error
	}{
		{"a read", "find", find, bson.A{}, false},
		{"a write that may have been done", "insert", insert, bson.A{}, false},
		{"a write that was not done again", "insert", insert, bson.A{"NoWritesPerformed"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, r := s.connectRecorded()
				time.Sleep(time.Second) // until both routers are known
				for _, labels := range []bson.A{{"RetryableWriteError"}, tt.labels} {
					reply := encodeReply(t, "ok", 0, "code", errcode.HostUnreachable, "errmsg", "told to", "errorLabels", labels)
					s.d.Control(tt.command, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
				}
				err := tt.run(t.Context(), client.Database("db").Collection("c"))
				sent := r.commands(tt.command)
				var failed mongo.CommandError
				if !errors.As(err, &failed) || len(sent) != 2 || host(sent[0].ConnectionID) == host(sent[1].ConnectionID) {
					t.Fatalf("%d tries: %v", len(sent), err)
				}
				want := sent[1]
				if tt.first {
					want = sent[0]
				}
				if failed.Address != host(want.ConnectionID) {
					t.Errorf("the error names %s, it comes from %s", failed.Address, host(want.ConnectionID))
				}
			}, mongotest.Sharded(2))
		})
	}
}
