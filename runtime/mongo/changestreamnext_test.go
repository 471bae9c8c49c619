package mongo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Err forgets the error of a call of Next once a later call succeeds.
func TestAStreamForgetsTheErrorOfACall(t *testing.T) {
	c := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1))).Database("db").Collection("c")
	stream, err := c.Watch(t.Context(), bson.A{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close(t.Context())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if stream.TryNext(ended) || !errors.Is(stream.Err(), context.Canceled) {
		t.Errorf("in a context that has ended: %v", stream.Err())
	}
	if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	if !stream.Next(t.Context()) || stream.Err() != nil {
		t.Errorf("then: %v", stream.Err())
	}
	if stream.TryNext(t.Context()) || stream.Err() != nil {
		t.Errorf("and then: %v", stream.Err())
	}
}
