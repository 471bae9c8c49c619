package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Driver Sessions, "endSession": a second call changes nothing. The server session is in the pool once, so no two
// operations share it.
func TestASessionMayEndTwice(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	start := func() *mongo.Session {
		s, err := client.StartSession()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start()
	s.EndSession(t.Context())
	s.EndSession(t.Context())
	first, second := start(), start()
	if first.ID().String() == second.ID().String() {
		t.Errorf("two sessions have the ID %v", first.ID())
	}
	for _, s := range []*mongo.Session{first, second, first} {
		s.EndSession(t.Context())
	}
	if n := client.Stats().Sessions.InProgress; n != 0 {
		t.Errorf("%d sessions are in progress", n)
	}
}

// A command that is not sent leaves a transaction that is in progress as it was.
//
// Transactions, "ClientSession changes".
func TestTransactionInProgressWhoseNextCommandWasNotSent(t *testing.T) {
	client, events := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	c := client.Database("shop").Collection("things")
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	if err := s.StartTransaction(); err != nil {
		t.Fatal(err)
	}
	ctx := mongo.NewSessionContext(t.Context(), s)
	if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	for name, insert := range map[string]func() error{
		"too large":        func() error { _, err := c.InsertOne(ctx, bson.Doc("x", make([]byte, 17<<20))); return err },
		"an ended context": func() error { _, err := c.InsertOne(ended, bson.Doc("_id", 2)); return err },
	} {
		if err := insert(); err == nil || s.TransactionState() != mongo.TransactionInProgress {
			t.Errorf("%s: the transaction is %v, %v", name, s.TransactionState(), err)
		}
	}
	if _, err := c.InsertOne(ctx, bson.Doc("_id", 3)); err != nil {
		t.Fatal(err)
	}
	if err := s.CommitTransaction(ctx); err != nil {
		t.Fatal(err)
	}
	for i, e := range events.commands("insert") {
		if start := !e.Command.Lookup("startTransaction").IsZero(); start != (i == 0) {
			t.Errorf("insert %d starts the transaction: %t", i, start)
		}
	}
}
