package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/runtime/fault"
)

// Bound applies an operation's timeout to a context. Run does this itself. Call Bound first if one timeout covers
// several commands.
func (x *Executor) Bound(ctx context.Context, op *Operation) (context.Context, context.CancelFunc, error) {
	ctx, cancel, err := x.bound(ctx, op)
	op.bounded = err == nil
	return ctx, cancel, err
}

// AlreadyBounded says that the context of Run already has the deadline of a timeoutMS that the caller manages, as a
// cursor does.
func (op *Operation) AlreadyBounded() { op.bounded, op.csot = true, true }

// ContinuesWithin says that the operation belongs to another one, whose context, with its timeout, it shares.
func (op *Operation) ContinuesWithin(first *Operation) {
	if first.csot {
		op.AlreadyBounded()
	}
}

// bound finds the timeoutMS that applies: first the operation's own, then the one of the session's withTransaction,
// then the inherited one. 0 means that there is no limit, but it still turns the deprecated timeouts off.
//
// Client Side Operations Timeout, "Validation and Overrides".
func (x *Executor) bound(ctx context.Context, op *Operation) (context.Context, context.CancelFunc, error) {
	timeout := op.Command.Timeout()
	if op.Session.HasDeadline() {
		if timeout != nil {
			return ctx, noCancel, ErrTimeoutInTransaction
		}
		op.csot = true
		if at := op.Session.Deadline(); !at.IsZero() {
			ctx, cancel := context.WithDeadline(ctx, at)
			return ctx, cancel, nil
		}
		return ctx, noCancel, nil
	}
	if timeout == nil {
		timeout = op.Timeout
	}
	op.csot = timeout != nil
	if timeout == nil || *timeout == 0 {
		return ctx, noCancel, nil
	}
	if *timeout < 0 {
		return ctx, noCancel, fault.ErrNegativeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	return ctx, cancel, nil
}

func noCancel() {}

// Expired reports whether an operation must not go on. It checks the clock as well as ctx.Err(), because a socket's
// timer may fire before the context's own.
func Expired(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}

// appendMaxTime adds maxTimeMS: the time left until the deadline, minus the time that the message takes to arrive. It
// keeps a MaxTime option that is already in the command. Under timeoutMS no such option is sent.
//
// Client Side Operations Timeout, "Command Execution".
func (e *execution) appendMaxTime(ctx context.Context, dst []byte, env *command.Env) ([]byte, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return dst, nil
	}
	left := time.Until(deadline) - e.try.minRTT
	if left <= 0 {
		return dst, e.notSent()
	}
	if e.op.NoMaxTime || env.MaxTimeSent || !e.op.csot && e.meta.Access == 0 {
		return dst, nil
	}
	ms := (left + time.Millisecond - 1) / time.Millisecond // never 0, which would mean no limit
	if ms > math.MaxInt32 {
		return dst, nil
	}
	return bson.AppendInt64Element(dst, "maxTimeMS", int64(ms)), nil
}

// enoughTime fails if the reply cannot arrive before the deadline. Sending would only cost the connection.
func (e *execution) enoughTime(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= e.try.minRTT {
		return e.notSent()
	}
	return nil
}

func (e *execution) notSent() error {
	return fault.TimeoutError{
		Operation: e.meta.Operation, Err: ErrNotSent,
		Doing: "less time was left than a round trip to " + e.try.server.Address() + " takes",
	}
}

// ErrNotSent is inside the error of an operation for which too little time was left to send anything.
var ErrNotSent = fmt.Errorf("nothing was sent: %w", context.DeadlineExceeded)

// AsTimeout gives a failure that the outcome's reply reports the type of a timeout, if the server ran out of time under
// timeoutMS. Run does this for the errors that it returns.
//
// Client Side Operations Timeout, "Error Transformations".
func (o *Outcome) AsTimeout(err error) error { return asTimeout(err, o.timed, o.operation) }

// AsTimeout is Outcome.AsTimeout for an operation with several commands.
func (op *Operation) AsTimeout(err error) error {
	return asTimeout(err, op.csot, op.Command.Meta().Operation)
}

func asTimeout(err error, timed bool, operation string) error {
	if err == nil || !timed || !fault.IsTimeout(err) || fault.IsCanceled(err) {
		return err
	}
	if _, told := errors.AsType[fault.TimeoutError](err); told {
		return err
	}
	return fault.TimeoutError{Operation: operation, Err: err}
}

// timedOut gives the error of an expired timeoutMS the type by which users recognize it.
//
// Client Side Operations Timeout, "Errors".
func (e *execution) timedOut(ctx context.Context, err error) error {
	if err == nil || !e.op.csot || fault.IsCanceled(err) || !fault.IsTimeout(err) && !Expired(ctx) {
		return err
	}
	if _, ok := err.(fault.TimeoutError); ok {
		return err
	}
	return fault.TimeoutError{Operation: e.meta.Operation, Err: err}
}
