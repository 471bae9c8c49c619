package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// Bound applies an operation's timeout to a context. Run does this itself. Call Bound first if one timeout covers
// several commands.
func (x *Executor) Bound(ctx context.Context, op *Operation) (context.Context, context.CancelFunc, error) {
	ctx, cancel, err := x.bound(ctx, op)
	if err == nil {
		op.Part = timeout.Message
	}
	return ctx, cancel, err
}

// ContinuesWithin says that the operation reads the results of another one, or ends them, and shares the context and
// the timeout of that one.
func (op *Operation) ContinuesWithin(first *Operation) {
	op.Part, op.Timeout = timeout.Results, first.Command.Timeout()
	if op.Timeout == nil {
		op.Timeout = first.Timeout
	}
}

// bound asks the state machine what timeoutMS means for the operation, and applies its deadline to ctx.
//
// Client Side Operations Timeout, "Validation and Overrides".
func (x *Executor) bound(ctx context.Context, op *Operation) (context.Context, context.CancelFunc, error) {
	own := op.Command.Timeout()
	op.timing, op.timeVerdict = timeout.State{Span: op.Span}, timeout.Verdict{}
	op.timing.Advance(&timeout.Event{
		Part: op.Part, Own: decide.OwnTimeout(own), Inherited: decide.InheritedTimeout(op.Timeout), SessionTime: op.Session.Limit(),
	}, &op.timeVerdict)
	if err := refusalError(op.timeVerdict); err != nil {
		return ctx, noCancel, err
	}
	switch op.timeVerdict.Bound {
	case timeout.UntilSession:
		ctx, cancel := context.WithDeadline(ctx, op.Session.Deadline())
		return ctx, cancel, nil
	case timeout.WholeTimeout:
		if op.timeVerdict.Source == timeout.InheritedSource {
			own = op.Timeout
		}
		ctx, cancel := context.WithTimeout(ctx, *own)
		return ctx, cancel, nil
	}
	return ctx, noCancel, nil
}

func noCancel() {}

// CheckTimeout returns an error if an operation in the session may not have a timeout of its own.
func CheckTimeout(own *time.Duration, s *session.Client) error {
	_, v := timeout.Step(timeout.State{}, timeout.Event{Own: decide.OwnTimeout(own), SessionTime: s.Limit()})
	return refusalError(v)
}

func refusalError(v timeout.Verdict) error {
	switch v.Refusal {
	case timeout.TwoTimeouts:
		return errTimeoutInTransaction
	case timeout.NegativeTimeout:
		return fault.ErrNegativeTimeout
	}
	return nil
}

// errTimeoutInTransaction is the error of an operation inside withTransaction that has a timeout of its own although
// withTransaction has one. Client Side Operations Timeout, "Validation and Overrides".
var errTimeoutInTransaction = errors.New(
	"mongo: an operation inside WithTransaction cannot have a Timeout of its own when the session or client has one: leave it out")

// ignoresOldTimeouts reports whether timeoutMS takes the place of the timeouts that it replaces.
func (e *execution) ignoresOldTimeouts() bool {
	return e.op.timeVerdict.Deprecated == timeout.DeprecatedIgnored
}

// Expired reports whether an operation must not go on. It checks the clock as well as ctx.Err(), because a socket's
// timer may fire before the context's own.
func Expired(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}

// appendMaxTime adds maxTimeMS, if there is time for the message at all.
//
// Client Side Operations Timeout, "Command Execution".
func (e *execution) appendMaxTime(ctx context.Context, dst []byte, env *emitted.Env) ([]byte, error) {
	event := timeout.Event{Part: timeout.Encode}
	if env.MaxTimeSent {
		event.CommandTime = timeout.HasCommandTime
	}
	if e.meta.Access == 0 {
		event.Access = timeout.UnknownCommand
	}
	ms, err := e.maxTimeFor(ctx, &event)
	if err != nil || ms == 0 {
		return dst, err
	}
	return bson.AppendInt64Element(dst, wire.FieldMaxTimeMS, ms), nil
}

// checkTimeLeft fails if the reply cannot arrive before the deadline.
func (e *execution) checkTimeLeft(ctx context.Context) error {
	_, err := e.maxTimeFor(ctx, &timeout.Event{Part: timeout.Send})
	return err
}

// maxTimeFor returns the maxTimeMS to write, 0 for none, or the error for a message that it is too late to send.
func (e *execution) maxTimeFor(ctx context.Context, event *timeout.Event) (ms int64, err error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0, nil // there is nothing to compare, and a second question would cost 2 % of a small operation
	}
	ms, event.Remaining = decide.TimeRemaining(deadline, time.Now(), e.try.minRTT)
	state, v := e.op.timing, timeout.Verdict{}
	state.Advance(event, &v)
	switch {
	case v.Late == timeout.TooLate:
		return 0, e.refuseToSend()
	case v.Field == timeout.NoField:
		return 0, nil
	}
	return ms, nil
}

// refuseToSend returns the error for a message that is too late, and ends the retries.
func (e *execution) refuseToSend() error {
	e.end = timeout.PastEnd
	return fault.TimeoutError{
		Operation: e.meta.Operation, Err: ErrNotSent,
		Doing: "less time was left than a round trip to " + e.try.server.Address() + " takes",
	}
}

// ErrNotSent is wrapped in the error of an operation for which too little time was left to send anything.
var ErrNotSent = fmt.Errorf("nothing was sent: %w", context.DeadlineExceeded)

// AsTimeout turns a failure that the outcome's reply reports into a timeout error, if the server ran out of time under
// timeoutMS. Run does this for the errors that it returns.
//
// Client Side Operations Timeout, "Error Transformations".
func (o *Outcome) AsTimeout(err error) error { return asTimeout(err, o.timing, o.end, o.operation) }

// AsTimeout is Outcome.AsTimeout for an operation with several commands.
func (op *Operation) AsTimeout(err error) error {
	return asTimeout(err, op.timing, op.execution.end, op.Command.Meta().Operation)
}

func asTimeout(err error, timing timeout.State, end timeout.End, operation string) error {
	_, told := errors.AsType[fault.TimeoutError](err)
	return addTimeoutType(err, timing, operation, end, told)
}

// markTimedOut turns the error of an expired timeoutMS into a timeout error, by whose type users recognize it.
//
// Client Side Operations Timeout, "Errors".
func (e *execution) markTimedOut(ctx context.Context, err error) error {
	end := e.end
	if err != nil && Expired(ctx) {
		end = timeout.PastEnd
	}
	_, told := err.(fault.TimeoutError)
	return addTimeoutType(err, e.op.timing, e.meta.Operation, end, told)
}

// addTimeoutType wraps the error of an expired timeoutMS. told says that the error has the type already.
func addTimeoutType(err error, timing timeout.State, operation string, end timeout.End, told bool) error {
	if err == nil {
		return nil
	}
	event := timeout.Event{Part: timeout.Fail, Cause: decide.CauseOf(err), End: end}
	if told {
		event.Told = timeout.AlreadyTold
	}
	if _, v := timeout.Step(timing, event); v.ErrorType == timeout.TimeoutType {
		return fault.TimeoutError{Operation: operation, Err: err}
	}
	return err
}
