package session

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// newPinnedSession returns a session in the middle of a transaction that is pinned to a mongos.
func newPinnedSession(t *testing.T) (*Client, *topology.Server) {
	t.Helper()
	c, server := NewExplicit(newServer(start), operation.CausalSession, at(2)), &topology.Server{}
	if err := c.Start(Transaction{}); err != nil {
		t.Fatal(err)
	}
	c.Transaction().Begun()
	c.Pin(server, nil)
	c.SetDeadline(start)
	c.AdvanceOperationTime(at(3))
	c.Clock().Advance(clusterTimeAt(3, 1, ""))
	c.Span = &span{}
	return c, server
}

// A cleanup sends what the session would send.
func TestACleanupHasACopyOfTheSession(t *testing.T) {
	c, _ := newPinnedSession(t)
	s := c.BeginKill().Session()
	if s == c || s.Server() == c.Server() {
		t.Fatal("it shares the session's state")
	}
	if !bytes.Equal(s.Server().ID(), c.Server().ID()) || s.Server().TxnNumber() != 1 || s.Kind() != c.Kind() ||
		s.SnapshotTime() != at(2) || s.OperationTime() != at(3) || !bytes.Equal(s.Clock().ClusterTime(), c.Clock().ClusterTime()) || s.Span != c.Span {
		t.Errorf("got %+v", s)
	}
	if !NewImplicit(newServer(start)).BeginKill().Session().IsImplicit() {
		t.Error("the copy of an implicit session is explicit")
	}
}

// A killCursors during a transaction belongs to it, and the session keeps its pin and deadline. Otherwise it does not
// belong to the last transaction.
func TestAKillBelongsToATransactionInProgress(t *testing.T) {
	c, server := newPinnedSession(t)
	kill := c.BeginKill()
	s := kill.Session()
	if s.Transaction().State != txn.InProgress || s.PinnedServer() != server || s.Limit() != timeout.SessionLimited || !s.Deadline().Equal(start) || !s.borrowed {
		t.Errorf("the kill has %+v, deadline %v", s.Transaction(), s.Limit())
	}
	if kill.End(); c.PinnedServer() != server || c.Transaction().State != txn.InProgress {
		t.Errorf("the kill took the pin: %+v", c.Transaction())
	}
	for _, state := range []txn.State{txn.None, txn.Starting, txn.Committed, txn.Aborted} {
		c.Transaction().State = state
		s := c.BeginKill().Session()
		if s.Transaction().State != txn.None || s.PinnedServer() != nil || s.Limit() != timeout.NoSessionTime {
			t.Errorf("%v: the kill has %+v", state, s.Transaction())
		}
	}
}

func TestAnAbortTakesThePin(t *testing.T) {
	c, server := newPinnedSession(t)
	abort := c.BeginAbort()
	s := abort.Session()
	if s.Transaction().State != txn.InProgress || s.PinnedServer() != server || s.Limit() != timeout.NoSessionTime || s.borrowed {
		t.Errorf("the abort has %+v, deadline %v", s.Transaction(), s.Limit())
	}
	if c.PinnedServer() != nil || c.Transaction().State != txn.InProgress {
		t.Errorf("the session has %+v", c.Transaction())
	}
	if abort.End(); s.PinnedServer() != nil {
		t.Error("an abort that was not sent keeps the pin after its end")
	}
}

// The session learns what a cleanup has seen when the cleanup ends, and not before.
func TestASessionLearnsFromItsCleanup(t *testing.T) {
	learn := map[string]func(*Client) error{
		"settle":       func(c *Client) error { c.Settle(); return nil },
		"await":        func(c *Client) error { return c.Await(context.Background()) },
		"next cleanup": func(c *Client) error { c.BeginKill(); return nil },
	}
	for name, f := range learn {
		t.Run(name, func(t *testing.T) {
			c, _ := newPinnedSession(t)
			kill := c.BeginKill()
			kill.Session().AdvanceOperationTime(at(9))
			kill.Session().Clock().Advance(clusterTimeAt(9, 1, ""))
			if c.Settle(); c.OperationTime() != at(3) || c.IsFree() {
				t.Errorf("before its end: %v, free %v", c.OperationTime(), c.IsFree())
			}
			if kill.End(); !c.IsFree() {
				t.Error("the session is not free")
			}
			if err := f(c); err != nil {
				t.Fatal(err)
			}
			if c.OperationTime() != at(9) || !bytes.Equal(c.Clock().ClusterTime(), clusterTimeAt(9, 1, "")) {
				t.Errorf("got %v, %v", c.OperationTime(), c.Clock().ClusterTime())
			}
		})
	}
	c := newExplicitSession()
	if c.Settle(); !c.IsFree() || c.Await(t.Context()) != nil {
		t.Error("a session without a cleanup waits")
	}
}

// The session learns what each of two cleanups has seen.
func TestASessionLearnsFromAllCleanups(t *testing.T) {
	c := newExplicitSession()
	first, second := c.BeginKill(), c.BeginKill()
	first.Session().AdvanceOperationTime(at(9))
	second.Session().AdvanceOperationTime(at(8))
	first.End()
	second.End()
	if c.Settle(); c.OperationTime() != at(9) {
		t.Errorf("got %v", c.OperationTime())
	}
}

func TestADirtyCopyMakesTheSessionDirty(t *testing.T) {
	for _, dirty := range []bool{true, false} {
		c := newExplicitSession()
		kill := c.BeginKill()
		if dirty {
			kill.Session().Server().MarkDirty()
		}
		if kill.End(); c.Server().IsDirty() != dirty {
			t.Errorf("dirty %v: the session's is %v", dirty, c.Server().IsDirty())
		}
	}
}

// Sessions, "lastUse": a cleanup's command names the session, too. One that was never sent changes nothing.
func TestACleanupRenewsItsSession(t *testing.T) {
	c := newExplicitSession()
	first, second := c.BeginKill(), c.BeginKill()
	first.Session().Server().Touch(start.Add(time.Minute))
	first.End()
	second.End()
	if got := c.Server().lastUse; !got.Equal(start.Add(time.Minute)) {
		t.Errorf("the session was last used at %v", got)
	}
}

// Cleanups of a session end in their order: they may use the same connection.
func TestCleanupsEndInOrder(t *testing.T) {
	c := newExplicitSession()
	first, second := c.BeginKill(), c.BeginKill()
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.AwaitPrevious(gaveUp); err != nil {
		t.Errorf("the first waits for %v", err)
	}
	if err := second.AwaitPrevious(gaveUp); !errors.Is(err, context.Canceled) {
		t.Errorf("the second does not wait for the first: %v", err)
	}
	if err := c.Await(gaveUp); !errors.Is(err, context.Canceled) {
		t.Errorf("the session does not wait: %v", err)
	}
	var order []string
	if !second.callAtEnd(func() { order = append(order, "second") }) {
		t.Error("a cleanup that goes on calls nothing")
	}
	second.End()
	if second.hasEnded() || len(order) != 0 {
		t.Error("the second has ended before the first")
	}
	first.callAtEnd(func() { order = append(order, "first") })
	first.End()
	if !first.hasEnded() || !second.hasEnded() || len(order) != 2 {
		t.Errorf("ended: %v, %v, %v", first.hasEnded(), second.hasEnded(), order)
	}
	if first.callAtEnd(func() { t.Error("called after the end") }) {
		t.Error("a cleanup that has ended promises a call")
	}
	if err := second.AwaitPrevious(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Await(t.Context()); err != nil {
		t.Error(err)
	}
	if !first.mu.TryLock() || !second.mu.TryLock() {
		t.Error("a lock is still held")
	}
}

// A cleanup that begins after the last one's end does not wait for it.
func TestACleanupForgetsOneThatHasEnded(t *testing.T) {
	c := newExplicitSession()
	c.BeginKill().End()
	if next := c.BeginKill(); next.prev != nil {
		t.Error("it keeps the last one")
	}
}

func TestWhenFreeWaitsForCleanups(t *testing.T) {
	c := newExplicitSession()
	calls := 0
	if c.WhenFree(func() { calls++ }); calls != 1 {
		t.Errorf("without a cleanup: %d calls", calls)
	}
	kill := c.BeginKill()
	if c.WhenFree(func() { calls++ }); calls != 1 || c.IsFree() {
		t.Errorf("during a cleanup: %d calls", calls)
	}
	if kill.End(); calls != 2 || !c.IsFree() {
		t.Errorf("after it: %d calls", calls)
	}
	if c.WhenFree(func() { calls++ }); calls != 3 {
		t.Errorf("once more: %d calls", calls)
	}
}

func TestTheZeroTimestampTeachesNothing(t *testing.T) {
	c := newExplicitSession()
	c.AdvanceOperationTime(at(3))
	c.BeginKill().End()
	if c.Settle(); c.OperationTime() != at(3) || c.OperationTime() == (bson.Timestamp{}) {
		t.Errorf("got %v", c.OperationTime())
	}
}
