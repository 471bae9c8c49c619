package exec

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// execution is a whole operation. It holds everything that lasts for all its tries.
type execution struct {
	x          *Executor
	op         *Operation
	meta       command.Meta
	id         int64  // the number of the operation in events
	collection string // the command's collection, empty if it has none
	retry      command.Retry
	slot       *slot // where Stats finds the operation, nil if no slot was free

	session *session.Client // the operation's own, or an implicit one
	made    bool            // this execution made the session
	inTxn   bool            // the command is part of the session's transaction, or ends it
	first   bool            // the command begins the transaction

	txnNumber int64 // for a retryable write, otherwise 0

	retries    int      // tries after the first one
	overloaded bool     // a server reported that it is overloaded
	final      bool     // another try would not help, as after encryption failed, or the time for a connection was over
	avoid      []string // addresses of servers that a retry should avoid

	counts     error         // the error that describes the failure best
	countsFrom int           // the number of retries before the try that failed with it
	applied    *appliedWrite // the last try that wrote and may be retried because of what its reply reports
}

// appliedWrite is a write that was applied, at least in part, but whose write concern was not satisfied or whose other
// statements have failed.
type appliedWrite struct {
	out  Outcome
	from int // the number of retries before it
}

// These errors report misuse of sessions.
var (
	errSessionEnded        = errors.New("mongo: the session has ended: start another one")
	errSessionsUnsupported = errors.New("mongo: the server has no sessions: leave the session out of the context")
	errUnacknowledged      = errors.New(
		"mongo: an unacknowledged write cannot be part of a session: " +
			"use a write concern that the server answers, or a context without the session")
)

// ErrTimeoutInTransaction is the error of an operation inside withTransaction that has a timeout of its own beside that of
// withTransaction. Client Side Operations Timeout, "Validation and Overrides".
var ErrTimeoutInTransaction = errors.New(
	"mongo: an operation inside WithTransaction cannot have a Timeout of its own when the session or client has one: leave it out")

// run has the only retry loop.
func (e *execution) run(ctx context.Context) (Outcome, error) {
	if Expired(ctx) {
		err := ctx.Err()
		if err == nil {
			err = context.DeadlineExceeded
		}
		return Outcome{}, e.timedOut(ctx, fmt.Errorf("mongo: %s: nothing was sent: %w", e.meta.Operation, err))
	}
	if err := e.checkNames(); err != nil {
		return Outcome{}, err
	}
	if err := e.join(); err != nil {
		return Outcome{}, err
	}
	e.retry = e.retryKind()
	out, err := e.try(ctx)
	for err != nil {
		pause, again := e.again(ctx, err)
		if !again || !sleep(ctx, pause) {
			break
		}
		e.retries++
		e.x.counters.retries.Add(1)
		out, err = e.try(ctx)
	}
	if err != nil {
		out, err = e.failure(ctx, out)
		e.unpin(err)
	}
	e.finish(&out)
	return out, err
}

// targeted is a command on a collection.
type targeted interface{ Target() string }

// checkNames rejects names that are not valid text, because the encoders of commands rely on them.
func (e *execution) checkNames() error {
	switch {
	case !utf8.ValidString(e.collection):
		return fmt.Errorf("mongo: %s: the name of the collection is not UTF-8: %q", e.meta.Operation, e.collection)
	case !utf8.ValidString(e.op.DB):
		return fmt.Errorf("mongo: %s: the name of the database is not UTF-8: %q", e.meta.Operation, e.op.DB)
	}
	return nil
}

// try makes one try and records how it failed.
func (e *execution) try(ctx context.Context) (Outcome, error) {
	t := try{execution: e}
	out, err := t.run(ctx)
	if err == nil {
		e.settle(nil)
		return out, nil
	}
	out.Sent = t.sent
	if t.foreign {
		e.final = true
		t.checkIn()
		e.judge(&t, err)
		return out, err
	}
	err = t.labelled(err)
	if t.sentAny && e.session != nil && fault.IsNetworkError(err) {
		e.session.Server().MarkDirty() // a reply that cannot be read is as good as none
	}
	if t.server != nil {
		if t.pooled != nil {
			t.server.HandleError(t.pooled, err)
		}
		e.deprioritize(t.server.Address(), err)
	}
	t.checkIn()
	e.judge(&t, err)
	e.settle(err)
	return out, err
}

// join adds the operation to its session, and to the session's transaction if there is one.
func (e *execution) join() error {
	s := e.op.Session
	if s == nil {
		return nil
	}
	switch {
	case s.Ended():
		return errSessionEnded
	case s.Implicit():
		e.session = s
		return nil
	case !e.acknowledged():
		return errUnacknowledged
	}
	e.session = s
	if e.op.EndsTransaction {
		e.inTxn = true
		return nil
	}
	t := s.Transaction()
	if !t.Active() {
		if t.State != txn.None {
			s.Leave()
		}
		return nil
	}
	if _, kills := e.op.Command.(*command.KillCursors); kills && t.State == txn.Starting {
		return nil // the cursor is older than the transaction, which the next command begins
	}
	if rp := e.op.ReadPreference; rp != nil && e.meta.Access == 0 && readPreferenceMode(rp) != primary {
		return errors.New("mongo: " + txn.ReadPreferenceNotPrimary())
	}
	if e.meta.ReadPreference && readPreferenceMode(t.ReadPreference) != primary {
		return errors.New("mongo: " + txn.ReadPreferenceNotPrimary())
	}
	e.inTxn, e.first = true, t.State == txn.Starting
	return nil
}

// acknowledged reports whether the server replies to the operation.
func (e *execution) acknowledged() bool {
	return !e.meta.WriteConcern || command.IsAcknowledged(e.op.WriteConcern) || e.inTransaction()
}

// inTransaction reports whether the operation's session has a transaction. Commands of a transaction carry no write
// concern.
func (e *execution) inTransaction() bool {
	s := e.op.Session
	return s != nil && !e.op.EndsTransaction && s.Transaction().Active()
}

// failure returns the error or the outcome that the caller gets.
func (e *execution) failure(ctx context.Context, last Outcome) (Outcome, error) {
	err := e.counts
	if e.applied != nil && e.countsFrom == e.applied.from {
		return e.applied.out, nil
	}
	if e.retries > 0 && Expired(ctx) && !fault.IsTimeout(err) && !fault.IsCanceled(err) {
		ended := ctx.Err()
		if ended == nil {
			ended = context.DeadlineExceeded
		}
		err = &interruptedRetry{first: err, err: ended}
	}
	return last, e.timedOut(ctx, err)
}

// interruptedRetry is the failure of an earlier try, after the context ended a later one.
type interruptedRetry struct{ first, err error }

func (e *interruptedRetry) Error() string {
	return e.first.Error() + " (the retry was given up: " + e.err.Error() + ")"
}
func (e *interruptedRetry) Unwrap() []error { return []error{e.first, e.err} }

// finish gives the implicit session back, unless the outcome's cursor or the operation's next command still uses it. A
// cursor also keeps an explicit session.
func (e *execution) finish(out *Outcome) {
	if e.session == nil {
		return
	}
	if e.op.Cursor && cursorOpen(out.Reply) || e.made && e.op.KeepSession && out.Reply != nil {
		out.Session = e.session
		return
	}
	if e.made {
		e.x.EndImplicit(e.session)
	}
}
