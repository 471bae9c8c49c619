package mongo

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/trace"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/withtransaction"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// withTransaction is one call of WithTransaction.
type withTransaction struct {
	s     *Session
	o     *options.Transaction
	began time.Time
	limit time.Duration // for all attempts; 0 = no limit

	timeout *time.Duration // the timeoutMS in force, nil when there is none

	state        withtransaction.State
	verdict      withtransaction.Verdict
	transactions int          // how many were started
	commits      int          // how many of the last transaction
	pacer        decide.Pacer // paces the commits of the last transaction
	last         error        // the error of the last step that failed
	explained    int64
}

// run carries out the verdicts of the state machine until the transaction is committed, has failed for good, or is out
// of time.
//
// Convenient API, "Sequence of Actions".
func (w *withTransaction) run(ctx context.Context, fn func(context.Context) error) error {
	defer w.bound()()
	ctx = NewSessionContext(ctx, w.s)
	w.tell(withtransaction.Begun, withtransaction.TimeLeft)
	for {
		switch w.verdict.Do {
		case withtransaction.Start:
			w.reportStep(ctx, withtransaction.Started, w.start(ctx))
		case withtransaction.Call:
			w.reportStep(ctx, withtransaction.Returned, w.callback(ctx, fn))
		case withtransaction.Abort:
			w.s.abandon(ctx, w.timeout, time.Time{})
			w.tell(withtransaction.Aborted, withtransaction.TimeLeft)
		case withtransaction.Commit:
			w.commits++
			w.reportStep(ctx, withtransaction.Committed, w.s.CommitTransaction(ctx))
		case withtransaction.Backoff:
			attempts := w.transactions
			if w.state.Stage == withtransaction.AtCommitBackoff {
				attempts = w.commits
			}
			w.wait(ctx, decide.TransactionPause(attempts, w.s.client.exec.Random()))
		case withtransaction.Space:
			w.wait(ctx, w.pacer.Pause(w.s.client.exec.Random()))
		default:
			return w.report(ctx)
		}
	}
}

// reportStep tells the state machine that a step has succeeded or failed.
func (w *withTransaction) reportStep(ctx context.Context, what withtransaction.What, err error) {
	w.last = err
	if err != nil {
		what = withtransaction.Failed
	}
	w.tell(what, w.timeLeft(ctx, 0))
}

// tell passes an event to the state machine and keeps its verdict.
func (w *withTransaction) tell(what withtransaction.What, left withtransaction.Time) {
	event := withtransaction.Event{What: what, Time: left}
	if w.s.TransactionRunning() {
		event.Transaction = withtransaction.TransactionOpen
	}
	if w.last != nil {
		decide.DescribeTransaction(&event, w.last)
		if errors.Is(w.last, exec.ErrNotSent) {
			event.Sending = withtransaction.TooLate
		}
	}
	if what == withtransaction.Failed && w.state.Stage == withtransaction.AtCommit && event.Load == withtransaction.NotOverloaded &&
		w.pacer.Failed(w.s.client.exec.Topology.Changes()) {
		event.Pace = withtransaction.Spinning
	}
	w.state, w.verdict = withtransaction.Step(w.state, event)
	if x := w.s.client.exec; x.Explains() && (what != withtransaction.Committed || w.verdict.Do != withtransaction.Return) {
		exec.Explain(x, trace.OpWithTransaction, x.Number(&w.explained), what, w.verdict.Do, w.verdict.Rows[:])
	}
}

// timeLeft reports whether there is time for a pause and another attempt.
func (w *withTransaction) timeLeft(ctx context.Context, pause time.Duration) withtransaction.Time {
	deadline, ok := ctx.Deadline()
	switch {
	case w.limit > 0 && time.Since(w.began)+pause >= w.limit:
		return withtransaction.LimitReached
	case fault.IsCanceled(ctx.Err()):
		return withtransaction.Canceled
	case ctx.Err() != nil || ok && time.Until(deadline) <= pause:
		return withtransaction.DeadlinePassed
	}
	return withtransaction.TimeLeft
}

// wait waits before the next attempt, if there is time for it.
func (w *withTransaction) wait(ctx context.Context, pause time.Duration) {
	left := w.timeLeft(ctx, pause)
	if left == withtransaction.TimeLeft {
		exec.Sleep(ctx, pause)
		left = w.timeLeft(ctx, 0)
	}
	w.tell(withtransaction.Waited, left)
}

// report returns what the caller gets.
//
// Convenient API, "Timeout Error propagation".
func (w *withTransaction) report(ctx context.Context) error {
	switch w.verdict.Report {
	case withtransaction.AsIs:
		return w.last
	case withtransaction.NoTimeForAnother:
		return w.timeoutError("no time was left for another attempt")
	case withtransaction.OutOfTime:
		return w.timeoutError("")
	case withtransaction.GivenUp:
		if fault.IsCanceled(w.last) {
			return w.last // it says so already
		}
		return &abandonedTransaction{last: w.last, err: ctx.Err()}
	}
	return nil
}

// timeoutError gives the error of the last step the type of a timeout, unless it has it.
func (w *withTransaction) timeoutError(doing string) error {
	if _, ok := w.last.(fault.TimeoutError); ok {
		return w.last
	}
	return fault.TimeoutError{Operation: trace.OpWithTransaction, Doing: doing, Err: w.last}
}

func (w *withTransaction) start(ctx context.Context) error {
	if err := w.s.StartTransaction(w.o); err != nil {
		return err
	}
	w.s.client.exec.TraceTransaction(ctx, w.s.state)
	w.transactions++
	w.commits, w.pacer = 0, decide.Pacer{}
	return nil
}

// bound computes until when new attempts may begin, and applies a timeoutMS to the operations of the callback.
//
// Client Side Operations Timeout, "Convenient Transactions API".
func (w *withTransaction) bound() func() {
	event := timeout.Event{
		Part: timeout.Transaction, Inherited: decide.InheritedTimeout(w.s.timeout()), SessionTime: w.s.state.Limit(),
	}
	if w.o != nil {
		event.Own = decide.OwnTimeout(w.o.Timeout)
	}
	_, v := timeout.Step(timeout.State{}, event)
	if v.Bound == timeout.UsualLimit {
		w.limit = txn.WithTransactionTimeout
		return func() {}
	}
	w.timeout = w.s.timeout()
	if v.Source == timeout.OwnSource {
		w.timeout = w.o.Timeout
	}
	w.limit = *w.timeout
	var at time.Time
	if v.Bound == timeout.WholeTimeout {
		at = w.began.Add(w.limit)
	}
	w.s.state.SetDeadline(at)
	return w.s.state.ClearDeadline
}

// callback calls the program's function, and aborts the transaction when it panics.
func (w *withTransaction) callback(ctx context.Context, fn func(context.Context) error) error {
	returned := false
	defer func() {
		if !returned && w.s.TransactionRunning() {
			w.s.abandon(ctx, w.timeout, time.Time{})
		}
	}()
	err := fn(ctx)
	returned = true
	return err
}

// abandonedTransaction is the failure of an attempt after which the caller gave up.
type abandonedTransaction struct{ last, err error }

func (e *abandonedTransaction) Error() string {
	return e.last.Error() + " (no other attempt was made: " + e.err.Error() + ")"
}
func (e *abandonedTransaction) Unwrap() []error { return []error{e.last, e.err} }

// WithTransaction calls fn inside a transaction and commits it. If fn or the commit fails with an error that allows a
// retry, it repeats the transaction or the commit, for up to 120 seconds or the timeout of the session.
//
// Operations inside fn are part of the transaction only if they use the context that fn receives. fn may be called
// several times, so its effects outside the database must be repeatable. It must return the errors of its operations.
// If it hides one, the transaction has ended anyway, and the commit would fail again and again. If the session has a
// timeout, it bounds the operations that use the context of fn, and they must not set a Timeout of their own.
func (s *Session) WithTransaction(ctx context.Context, fn func(ctx context.Context) error, opts ...*options.Transaction) error {
	if err := checkFunction(fn == nil); err != nil {
		return err
	}
	_, err := WithTransaction(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) }, opts...)
	return err
}

// WithTransaction is [Session.WithTransaction] for a function that returns a value.
func WithTransaction[T any](ctx context.Context, s *Session, fn func(ctx context.Context) (T, error),
	opts ...*options.Transaction) (T, error) {
	var result T
	if err := cmp.Or(s.check(ctx), checkFunction(fn == nil)); err != nil {
		return result, err
	}
	w := withTransaction{s: s, began: time.Now()}
	if o := mergeOptions(opts); o != nil {
		w.o = new(option.Copy(*o)) // each attempt reads them, and fn may change the program's own
	}
	err := w.run(ctx, func(ctx context.Context) (err error) {
		result, err = fn(ctx)
		return err
	})
	return result, err
}
