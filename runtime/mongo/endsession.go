package mongo

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// EndSession aborts a transaction that is in progress and returns the server session to the client's pool. Ending a
// session twice is harmless.
func (s *Session) EndSession(ctx context.Context) {
	if s.state.Ended() {
		return
	}
	if s.state.Transaction().Active() {
		s.abandon(ctx, s.endTimeout(ctx))
	}
	s.state.Unpin()
	if s.state.End() {
		s.client.explicit.Add(-1)
		s.client.exec.ReleaseServerSession(s.state.Server())
	}
}

// abandon aborts the transaction whether or not ctx has ended. The abort has the whole timeoutMS anew, also inside
// WithTransaction; without one it must not keep the program for long, since the server ends the transaction by itself sooner
// or later.
//
// Client Side Operations Timeout, "withTransaction refreshes the timeout for abortTransaction".
func (s *Session) abandon(ctx context.Context, timeout *time.Duration) {
	if s.state.HasDeadline() {
		at := s.state.Deadline()
		s.state.ClearDeadline()
		defer s.state.SetDeadline(at)
	}
	ctx = context.WithoutCancel(ctx)
	if timeout == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, killTimeout)
		defer cancel()
	}
	s.AbortTransaction(ctx, &options.EndTransaction{Timeout: timeout}) // its errors mean nothing to the program
}

// endTimeout is what bounds the abort of EndSession: the deadline of its context, if it has not passed, is a timeoutMS of
// its own.
//
// Client Side Operations Timeout, "Sessions".
func (s *Session) endTimeout(ctx context.Context) *time.Duration {
	if deadline, ok := ctx.Deadline(); ok && !exec.Expired(ctx) {
		return new(time.Until(deadline))
	}
	return s.timeout()
}
