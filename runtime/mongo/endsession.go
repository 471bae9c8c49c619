package mongo

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// EndSession aborts a transaction that is in progress and returns the server session to the client's pool. When ctx
// ends before the server has answered, the abort goes on in the background for a moment, and the server session is
// returned after it. Ending a session twice is harmless.
func (s *Session) EndSession(ctx context.Context) {
	if !s.isStarted() {
		return
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if s.state.Ended() {
		return
	}
	if s.state.Transaction().Active() {
		until, _ := decide.CallDeadline(ctx, time.Now())
		s.abandon(ctx, s.timeout(), until)
	}
	s.state.Unpin()
	if s.state.End() {
		s.client.explicit.Add(-1)
		s.client.exec.ReleaseSession(s.state)
	}
}

// abandon aborts the transaction, even if ctx has ended. until is the deadline of this call's own timeoutMS, zero
// without one.
//
// Client Side Operations Timeout, "withTransaction refreshes the timeout for abortTransaction".
func (s *Session) abandon(ctx context.Context, inherited *time.Duration, until time.Time) {
	t := s.state.Transaction()
	next, err := txn.Next(t.State, txn.Abort)
	if err != nil {
		return
	}
	empty := t.State == txn.Starting
	t.State = next
	defer s.state.EndSpan(nil)
	if empty {
		s.client.exec.TraceTransaction(ctx, s.state) // no operation has begun its span
		s.state.Unpin()
		return
	}
	a := transactionAbort{
		client: s.client, session: s.state.BeginAbort(), timeout: inherited, until: until,
		cmd: command.AbortTransaction{RecoveryToken: t.RecoveryToken},
	}
	_ = s.client.cleanUp(ctx, &cleanup{ // EndSession reports no errors
		run: a.run, bound: a.bound(false), release: a.session.End,
	})
	s.state.Settle()
}

// transactionAbort is an abortTransaction command with what it needs after its call has returned.
type transactionAbort struct {
	client  *Client
	cmd     command.AbortTransaction
	session *session.Cleanup
	timeout *time.Duration // timeoutMS; nil without one
	until   time.Time      // see Session.abandon
}

// bound asks the state machine what ends the command. again says that the deadline of the call has passed.
func (a *transactionAbort) bound(again bool) timeout.Bound {
	event := timeout.Event{Part: timeout.Abandon, Inherited: decide.InheritedTimeout(a.timeout)}
	if !a.until.IsZero() && !again {
		event.CallTime = timeout.CallLimited
	}
	_, v := timeout.Step(timeout.State{}, event)
	return v.Bound
}

func (a *transactionAbort) run(ctx context.Context, again bool) (reached bool, err error) {
	s := a.session.Session()
	op := exec.Operation{
		Command: &a.cmd, DB: "admin", Session: s, WriteConcern: s.Transaction().WriteConcern, Timeout: a.timeout,
	}
	switch a.bound(again) {
	case timeout.UntilCall:
		op.Timeout = new(max(time.Until(a.until), 1)) // 0 would mean no limit
	case timeout.ShortTime:
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, killTimeout)
		defer cancel()
	}
	if err := a.session.AwaitPrevious(ctx); err != nil {
		return false, err
	}
	_, err = a.client.run(ctx, &op)
	return op.Reached(), err
}
