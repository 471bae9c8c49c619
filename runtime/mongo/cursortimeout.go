package mongo

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// misuses are the errors for options of a cursor that contradict each other.
var misuses = map[timeout.Misuse]error{
	timeout.NegativeAwait: fault.ErrNegativeTimeout,
	timeout.ModeWithoutTimeout: errors.New(
		"mongo: TimeoutMode needs a Timeout, here or on the collection, database, client or session"),
	timeout.TailableLifetime: errors.New(
		"mongo: a tailable cursor has no lifetime to bound: leave TimeoutMode out or set it to Iteration"),
	timeout.AwaitTooLong: errors.New("mongo: MaxAwaitTime must be shorter than Timeout, or the server would never answer in time"),
	timeout.AwaitWithTimeout: errors.New(
		"mongo: MaxAwaitTime and a Timeout exclude each other unless CursorType is TailableAwait: leave one out"),
	timeout.WritesPerIteration: errors.New(
		"mongo: an aggregation that ends in $out or $merge returns nothing to iterate: leave TimeoutMode out"),
}

// cursorTimeout carries out what timeoutMS means for a cursor.
//
// Client Side Operations Timeout, "Cursors".
type cursorTimeout struct {
	state    timeout.State
	timeout  *time.Duration // nil when no timeoutMS applies; the session may still have one
	deadline time.Time      // set if the lifetime of the cursor is bounded
}

// cursorOptions are the options about time of an operation that opens a cursor.
type cursorOptions struct {
	origin         timeout.Origin
	own, inherited *time.Duration
	mode           *options.TimeoutMode
	kind           *options.CursorType
	maxAwait       *time.Duration
}

// newCursorTimeout resolves the options of an operation that opens a cursor. The lifetime begins now.
func newCursorTimeout(ctx context.Context, o cursorOptions) (cursorTimeout, error) {
	err := option.CheckNumber("CursorType", o.kind, options.TailableAwait, "options.NonTailable, Tailable or TailableAwait")
	if err == nil {
		err = option.CheckNumber("TimeoutMode", o.mode, options.Iteration, "options.CursorLifetime or options.Iteration")
	}
	if err != nil {
		return cursorTimeout{}, err
	}
	event := timeout.Event{Part: timeout.Options, Own: decide.OwnTimeout(o.own), Inherited: decide.InheritedTimeout(o.inherited)}
	state, v := timeout.Step(timeout.State{Kind: cursorKind(o.kind), Origin: o.origin, Mode: timeoutMode(o.mode)}, event)
	t := cursorTimeout{state: state}
	switch v.Source {
	case timeout.OwnSource:
		t.timeout = new(*o.own) // the program's own value may change
	case timeout.InheritedSource:
		t.timeout = o.inherited
	}
	combined := timeout.Event{Part: timeout.Combined, MaxAwait: decide.AwaitOf(o.maxAwait, t.timeout)}
	if s := SessionFromContext(ctx); s != nil {
		combined.SessionTime = s.state.Limit()
	}
	if _, v = timeout.Step(state, combined); v.Misuse != timeout.NoMisuse {
		return t, misuses[v.Misuse]
	}
	if state.Clock == timeout.Limited {
		t.deadline = time.Now().Add(*t.timeout)
	}
	return t, nil
}

func cursorKind(t *options.CursorType) timeout.Kind {
	switch {
	case !isTailable(t):
		return timeout.NonTailable
	case *t == options.TailableAwait:
		return timeout.TailableAwait
	}
	return timeout.Tailable
}

func isTailable(t *options.CursorType) bool {
	return t != nil && *t != options.NonTailable
}

func timeoutMode(m *options.TimeoutMode) timeout.Mode {
	switch {
	case m == nil:
		return timeout.ModeUnset
	case *m == options.Iteration:
		return timeout.Iteration
	}
	return timeout.CursorLifetime
}

// adjustOpening adjusts the operation that opens the cursor.
func (t *cursorTimeout) adjustOpening(op *exec.Operation) { op.Span = t.state.Span }

// boundNext bounds one call of Next, all of its batches together.
func (t *cursorTimeout) boundNext(ctx context.Context, s *session.Client) (context.Context, context.CancelFunc) {
	_, v := timeout.Step(t.state, timeout.Event{Part: timeout.Next, SessionTime: s.Limit()})
	switch v.Bound {
	case timeout.WholeTimeout:
		return context.WithTimeout(ctx, *t.timeout)
	case timeout.RestOfLife:
		return context.WithDeadline(ctx, t.deadline)
	}
	return ctx, func() {}
}

// adjustCommand adjusts an operation on the open cursor.
func (t *cursorTimeout) adjustCommand(op *exec.Operation, part timeout.Part) {
	op.Part, op.Timeout = part, t.timeout
}
