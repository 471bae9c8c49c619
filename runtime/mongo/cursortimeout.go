package mongo

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// Misuse of the timeouts of cursors.
var (
	errModeWithoutTimeout = errors.New("mongo: TimeoutMode needs a Timeout, here or on the collection, database, client or session")
	errTailableLifetime   = errors.New("mongo: a tailable cursor has no lifetime to bound: leave TimeoutMode out or set it to Iteration")
	errAwaitTooLong       = errors.New("mongo: MaxAwaitTime must be shorter than Timeout, or the server would never answer in time")
	errAwaitWithTimeout   = errors.New(
		"mongo: MaxAwaitTime and a Timeout exclude each other unless CursorType is TailableAwait: leave one out")
	errWritesPerIteration = errors.New(
		"mongo: an aggregation that ends in $out or $merge returns nothing to iterate: leave TimeoutMode out")
)

// cursorTimeout says what timeoutMS means for a cursor.
//
// Client Side Operations Timeout, "Cursors".
type cursorTimeout struct {
	timeout   *time.Duration // nil when no timeoutMS applies; the session may still have one
	session   bool           // the session had a timeout when the cursor was opened: WithTransaction was running
	iteration bool           // each Next has the whole timeout; otherwise all of them have one together
	await     bool           // the server waits for new documents
	deadline  time.Time      // of a cursor whose lifetime is bounded; zero without a limit
}

// newCursorTimeout resolves the options of an operation that opens a cursor. The lifetime begins now.
func newCursorTimeout(
	ctx context.Context, own, inherited *time.Duration, mode *options.TimeoutMode, kind *options.CursorType, maxAwait *time.Duration,
) (cursorTimeout, error) {
	s := SessionFromContext(ctx)
	t := cursorTimeout{timeout: inherited, session: s != nil && s.state.HasDeadline()}
	if own != nil {
		t.timeout = own
	}
	if maxAwait != nil && *maxAwait < 0 {
		return t, fault.ErrNegativeTimeout
	}
	if mode != nil && t.timeout == nil && !t.session {
		return t, errModeWithoutTimeout
	}
	t.iteration = mode != nil && *mode == options.Iteration
	if tailable(kind) {
		if mode != nil && !t.iteration {
			return t, errTailableLifetime
		}
		t.iteration, t.await = true, *kind == options.TailableAwait
	}
	limited := t.timeout != nil && *t.timeout > 0
	if limited && maxAwait != nil && *maxAwait >= *t.timeout {
		return t, errAwaitTooLong
	}
	if limited && !t.iteration {
		t.deadline = time.Now().Add(*t.timeout)
	}
	return t, nil
}

// opening adjusts the operation that opens the cursor. maxTimeMS would also bound the server's work for later batches,
// so it is left out where each batch has a timeout of its own.
func (t *cursorTimeout) opening(op *exec.Operation) {
	op.NoMaxTime = (t.timeout != nil || t.session) && t.iteration && !t.await
}

// next bounds one call of Next, all of its batches together. A timeout of the session, which WithTransaction sets, takes the
// place of the cursor's.
//
// Client Side Operations Timeout, "Validation and Overrides".
func (t *cursorTimeout) next(ctx context.Context, s *session.Client) (context.Context, context.CancelFunc) {
	switch {
	case s.HasDeadline(), t.timeout == nil || *t.timeout <= 0:
		return ctx, func() {}
	case t.iteration:
		return context.WithTimeout(ctx, *t.timeout)
	}
	return context.WithDeadline(ctx, t.deadline)
}

// getMore adjusts the operation that fetches a batch. It never carries what is left of the deadline as maxTimeMS.
func (t *cursorTimeout) getMore(op *exec.Operation) {
	op.NoMaxTime = true
	if t.timeout != nil && !op.Session.HasDeadline() {
		op.AlreadyBounded()
	}
}

// maxAwaitTime is how long the server may wait for documents: not longer than the caller does.
func (t *cursorTimeout) maxAwaitTime(ctx context.Context, set, minRTT time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if set == 0 || t.timeout == nil || !ok {
		return set
	}
	return max(min(set, time.Until(deadline)-minRTT), time.Millisecond)
}

func tailable(t *options.CursorType) bool {
	return t != nil && *t != options.NonTailable
}
