package exec

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/fault"
)

// run begins the operation, follows the verdicts to the end, and tidies up.
func (e *execution) run(ctx context.Context) error {
	if Expired(ctx) {
		err := ctx.Err()
		if err == nil {
			err = context.DeadlineExceeded
		}
		return e.markTimedOut(ctx, fmt.Errorf("mongo: %s: nothing was sent: %w", e.meta.Operation, err))
	}
	if err := e.checkNames(); err != nil {
		return err
	}
	if err := e.join(ctx); err != nil {
		return err
	}
	e.follow(ctx)
	err := e.err
	if err != nil {
		e.out.Sent = e.carried
		err = e.noteInterruption(ctx, err)
	} else if e.partial && e.course.Retries > 0 && Expired(ctx) {
		e.end = timeout.PastEnd // time ran out after a failure that only the reply reports
	}
	e.out.end = e.end
	e.endSession()
	return err
}

// follow carries out the verdicts and reports what happened, until a verdict ends the operation.
func (e *execution) follow(ctx context.Context) {
	panicked := true
	defer func() {
		if panicked {
			e.giveUp()
		}
	}()
	e.tell(operation.Begun)
	for e.verdict.Do != operation.Return {
		switch e.verdict.Do {
		case operation.Select:
			e.finishStep(ctx, operation.Selected, e.selectServer(ctx))
		case operation.CheckOut:
			e.finishStep(ctx, operation.CheckedOut, e.checkOut(ctx))
		case operation.Encode:
			e.finishStep(ctx, operation.Encoded, e.encode(ctx))
		case operation.Renumber:
			e.tell(operation.Renumbered)
		case operation.Send:
			e.finishStep(ctx, operation.Replied, e.send(ctx))
		case operation.Authenticate:
			e.finishStep(ctx, operation.Reauthenticated, e.reauthenticate(ctx))
		case operation.Pause:
			if e.pause(ctx) {
				e.tell(operation.Waited)
			} else {
				e.verdict.Do = operation.Return
			}
		}
	}
	panicked = false
}

// giveUp gives back what the try has taken, when the program's socket or a method of its document panics.
func (e *execution) giveUp() {
	e.checkIn()
	if !e.ownsSession {
		return
	}
	if e.reached {
		e.session.Server().MarkDirty() // the server may be running the command
	}
	e.x.EndImplicit(e.session)
}

// checkNames rejects names that are not valid text, because the encoders of commands rely on them.
func (e *execution) checkNames() error {
	switch {
	case !isUTF8(e.collection):
		return fmt.Errorf("mongo: %s: the name of the collection is not UTF-8: %q", e.meta.Operation, e.collection)
	case !isUTF8(e.op.DB):
		return fmt.Errorf("mongo: %s: the name of the database is not UTF-8: %q", e.meta.Operation, e.op.DB)
	}
	return nil
}

// isUTF8 is a utf8.ValidString that takes a fifth of the time for a short ASCII name, and most names are such.
func isUTF8(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return utf8.ValidString(name[i:])
		}
	}
	return true
}

// noteInterruption returns the error for the caller. If the retries ended because the context did, or because too
// little time was left for another message, the error says so.
func (e *execution) noteInterruption(ctx context.Context, err error) error {
	over := Expired(ctx)
	if e.course.Retries > 0 && (over || e.end == timeout.PastEnd) && !fault.IsTimeout(err) && !fault.IsCanceled(err) {
		ended := ctx.Err()
		switch {
		case ended != nil:
		case over:
			ended = context.DeadlineExceeded
		default:
			ended = ErrNotSent
		}
		err = &interruptedRetry{first: err, err: ended}
	}
	return e.markTimedOut(ctx, err)
}

// interruptedRetry is the failure of an earlier try, after the context ended a later one.
type interruptedRetry struct{ first, err error }

func (e *interruptedRetry) Error() string {
	return e.first.Error() + " (the retry was given up: " + e.err.Error() + ")"
}
func (e *interruptedRetry) Unwrap() []error { return []error{e.first, e.err} }

// endSession gives the implicit session back, unless the outcome's cursor or the operation's next command still uses
// it. A cursor also keeps an explicit session.
func (e *execution) endSession() {
	if e.session == nil {
		return
	}
	out := &e.out
	if e.op.Answer == OpenCursor && hasOpenCursor(out.Reply) || e.ownsSession && e.op.Implicit == KeepSession && out.Reply != nil {
		out.Session = e.session
		return
	}
	if e.ownsSession {
		e.x.endImplicit(e.session, e.began)
	}
}
