package mongo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Whoever aborts a transaction sends the latest recoveryToken: the program, WithTransaction, or the end of the session.
//
// Transactions, "recoveryToken field".
func TestEveryAbortHasTheRecoveryToken(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.Sharded(1)))
	things := client.Database("shop").Collection("things")
	insertIDs(t, things, 1)
	failed := errors.New("the program's own")
	insert := func(ctx context.Context) error {
		_, err := things.InsertOne(ctx, bson.D{})
		return err
	}
	for name, abort := range map[string]func(ctx context.Context, s *mongo.Session) error{
		"AbortTransaction": func(ctx context.Context, s *mongo.Session) error {
			return errors.Join(s.StartTransaction(), insert(ctx), s.AbortTransaction(ctx))
		},
		"EndSession": func(ctx context.Context, s *mongo.Session) error {
			defer s.EndSession(ctx)
			return errors.Join(s.StartTransaction(), insert(ctx))
		},
		"WithTransaction": func(ctx context.Context, s *mongo.Session) error {
			err := s.WithTransaction(ctx, func(ctx context.Context) error { return errors.Join(insert(ctx), failed) })
			if errors.Is(err, failed) {
				return nil
			}
			return err
		},
	} {
		before := len(r.commands("abortTransaction"))
		if err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error { return abort(ctx, s) }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sent := r.commands("abortTransaction")[before:]
		if len(sent) != 1 || sent[0].Command.Lookup("recoveryToken").IsZero() {
			t.Errorf("%s: %v", name, sent)
		}
	}
}

// The end of a session gives back the connection that a committed transaction keeps for another commit.
//
// Transactions, "When to unpin".
func TestTheEndOfASessionUnpinsACommittedTransaction(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.LoadBalanced(1)))
	things := client.Database("shop").Collection("things")
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	ctx := mongo.NewSessionContext(t.Context(), s)
	err = s.WithTransaction(ctx, func(ctx context.Context) error { _, err := things.InsertOne(ctx, bson.D{}); return err })
	if err != nil || s.PinnedConnection() == 0 {
		t.Errorf("%v, pinned to connection %d", err, s.PinnedConnection())
	}
	inUse := func() (n int) {
		for _, server := range client.Stats().Topology.Servers {
			n += int(server.Pool.InUse)
		}
		return n
	}
	if before := inUse(); before != 1 {
		t.Errorf("%d connections are in use", before)
	}
	if s.EndSession(t.Context()); inUse() != 0 || s.PinnedConnection() != 0 {
		t.Errorf("%d connections are in use", inUse())
	}
}
