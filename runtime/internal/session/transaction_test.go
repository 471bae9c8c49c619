package session

import (
	"reflect"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

func TestActiveTransactions(t *testing.T) {
	for state, want := range map[txn.State]bool{
		txn.None: false, txn.Starting: true, txn.InProgress: true, txn.Committed: false, txn.Aborted: false,
	} {
		if tr := (Transaction{State: state}); tr.Active() != want {
			t.Errorf("%v: active %v", state, tr.Active())
		}
	}
}

// A new transaction has its own options and nothing of the last one, neither the recovery token nor the pin.
func TestStartForgetsTheLastTransaction(t *testing.T) {
	c := newExplicitSession()
	limit := time.Second
	given := Transaction{
		ReadConcern: &options.ReadConcern{}, WriteConcern: &options.WriteConcern{}, ReadPreference: &options.ReadPreference{},
		MaxCommitTime: &limit,
	}
	*c.Transaction() = Transaction{
		State: txn.Committed, RecoveryToken: bson.Raw{5, 0, 0, 0, 0}, Commits: operation.CommitSent, CommitBefore: operation.CommitOpen, Empty: true,
	}
	c.Pin(&topology.Server{}, nil)
	if err := c.Start(given); err != nil {
		t.Fatal(err)
	}
	want := given
	want.State = txn.Starting
	if got := *c.Transaction(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if c.Server().TxnNumber() != 1 {
		t.Errorf("the number is %d", c.Server().TxnNumber())
	}
	if c.Transaction().Begun(); c.Transaction().State != txn.InProgress {
		t.Errorf("after its first command it is %v", c.Transaction().State)
	}
}

func TestStartInATransactionChangesNothing(t *testing.T) {
	c := newExplicitSession()
	if err := c.Start(Transaction{}); err != nil {
		t.Fatal(err)
	}
	server := &topology.Server{}
	c.Pin(server, nil)
	if err := c.Start(Transaction{}); err == nil || err.Error() != "Transaction already in progress" {
		t.Errorf("got %v", err)
	}
	if c.PinnedServer() != server || c.Server().TxnNumber() != 1 {
		t.Errorf("pinned to %p, number %d", c.PinnedServer(), c.Server().TxnNumber())
	}
}

func TestPinAndUnpin(t *testing.T) {
	c, server := newExplicitSession(), &topology.Server{}
	if c.PinnedServer() != nil || c.PinnedConnection() != nil {
		t.Error("it begins pinned")
	}
	c.Pin(server, nil)
	if c.PinnedServer() != server || c.PinnedConnection() != nil {
		t.Errorf("pinned to %p, %p", c.PinnedServer(), c.PinnedConnection())
	}
	if c.Unpin(); c.PinnedServer() != nil {
		t.Error("it is still pinned")
	}
	c.Pin(server, nil)
	c.Transaction().State = txn.Committed
	if c.Leave(); c.PinnedServer() != nil || c.Transaction().State != txn.None {
		t.Errorf("after the transaction: %+v", c.Transaction())
	}
}
