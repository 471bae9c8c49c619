package mongo

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// withTransaction is one call of WithTransaction.
type withTransaction struct {
	s     *Session
	o     *options.Transaction
	began time.Time
	limit time.Duration // for attempts; 0 = none

	timeout *time.Duration // the timeoutMS in force, nil when there is none
}

// run does the transaction until it is committed, fails for good, or the time is up.
//
// Convenient API, "Sequence of Actions".
func (w *withTransaction) run(ctx context.Context, fn func(context.Context) error) error {
	defer w.bound()()
	ctx = NewSessionContext(ctx, w.s)
	for attempt := 1; ; attempt++ {
		if err := w.s.StartTransaction(w.o); err != nil {
			return err
		}
		w.s.client.exec.TraceTransaction(ctx, w.s.state)
		err := w.callback(ctx, fn)
		if err == nil && w.s.TransactionRunning() {
			err = w.commit(ctx)
		}
		if err == nil || !HasLabel(err, fault.LabelTransientTransactionError) {
			return err
		}
		if err := w.pause(ctx, attempt, err); err != nil {
			return err
		}
	}
}

// bound finds out how long there may be new attempts, and hands a timeoutMS on to the operations of the callback.
//
// Client Side Operations Timeout, "Convenient Transactions API".
func (w *withTransaction) bound() func() {
	w.limit = txn.WithTransactionTimeout
	timeout := w.s.timeout()
	if w.o != nil && w.o.Timeout != nil {
		timeout = w.o.Timeout
	}
	if timeout == nil || w.s.state.HasDeadline() {
		return func() {}
	}
	w.timeout, w.limit = timeout, *timeout
	var at time.Time
	if *timeout > 0 {
		at = w.began.Add(*timeout)
	}
	w.s.state.SetDeadline(at)
	return w.s.state.ClearDeadline
}

// callback calls the program's function and aborts the transaction when it fails, or panics.
func (w *withTransaction) callback(ctx context.Context, fn func(context.Context) error) (err error) {
	returned := false
	defer func() {
		if (err != nil || !returned) && w.s.TransactionRunning() {
			w.s.abandon(ctx, w.timeout, time.Time{})
		}
	}()
	err = fn(ctx)
	returned = true
	return err
}

// commit commits until it is known whether the transaction was committed. An overloaded server gets time to recover.
//
// Client Backpressure, "Interaction with Other Retry Policies".
func (w *withTransaction) commit(ctx context.Context) error {
	var pacer decide.Pacer
	for attempt := 1; ; attempt++ {
		err := w.s.CommitTransaction(ctx)
		if err == nil || !HasLabel(err, fault.LabelUnknownTransactionCommitResult) || fault.HasCode(err, errcode.MaxTimeMSExpired) {
			return err
		}
		if w.over(0) {
			return w.timeUp(err)
		}
		// Too little time may be left to send anything before ctx has ended: trying again would only keep the processor busy.
		if errors.Is(err, exec.ErrNotSent) || exec.Expired(ctx) {
			return err
		}
		if HasLabel(err, fault.LabelSystemOverloadedError) {
			if err := w.pause(ctx, attempt, err); err != nil {
				return err
			}
		} else if !w.pace(ctx, &pacer) {
			if exec.Expired(ctx) {
				return err
			}
			return w.timeUp(err)
		}
	}
}

// pace waits before another commit, and reports whether there is time for it.
func (w *withTransaction) pace(ctx context.Context, p *decide.Pacer) bool {
	if w.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, w.began.Add(w.limit))
		defer cancel()
	}
	return w.s.client.exec.Pace(ctx, p)
}

// over reports whether no attempt may begin after a pause.
func (w *withTransaction) over(pause time.Duration) bool {
	return w.limit > 0 && time.Since(w.began)+pause >= w.limit
}

// pause waits before the next attempt; it returns the error to end with when there must be none.
func (w *withTransaction) pause(ctx context.Context, attempt int, last error) error {
	longest := min(float64(txn.WithTransactionMaxBackoff),
		float64(txn.WithTransactionBackoff)*math.Pow(txn.WithTransactionBackoffGrowth, float64(attempt)))
	pause := time.Duration(w.s.client.exec.Random() * longest)
	if w.over(pause) {
		return w.timeUp(last)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return fault.TimeoutError{Operation: "withTransaction", Err: last}
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		if fault.IsCanceled(ctx.Err()) {
			return &abandonedTransaction{last: last, err: ctx.Err()}
		}
		return fault.TimeoutError{Operation: "withTransaction", Err: last}
	}
}

// abandonedTransaction is the failure of an attempt after which the caller gave up.
type abandonedTransaction struct{ last, err error }

func (e *abandonedTransaction) Error() string {
	return e.last.Error() + " (no other attempt was made: " + e.err.Error() + ")"
}
func (e *abandonedTransaction) Unwrap() []error { return []error{e.last, e.err} }

// timeUp wraps the last error; the labels of what is inside count for the whole.
//
// Convenient API, "Timeout Error propagation".
func (w *withTransaction) timeUp(last error) error {
	if _, ok := last.(fault.TimeoutError); ok {
		return last
	}
	return fault.TimeoutError{Operation: "withTransaction", Doing: "no time was left for another attempt", Err: last}
}

// WithTransaction calls fn inside a transaction and commits it. If fn or the commit fails with an error that allows a
// retry, it repeats the transaction or the commit, for up to 120 seconds or the timeout of the session.
//
// Operations inside fn are part of the transaction only if they use the context that fn receives. fn may be called
// several times, so its effects outside the database must be repeatable. It must return the errors of its operations.
// If it hides one, the transaction has ended all the same, and the commit would fail again and again. If the session
// has a timeout, it bounds the operations that use the context of fn, and they must not set a Timeout of their own.
func (s *Session) WithTransaction(ctx context.Context, fn func(ctx context.Context) error, opts ...*options.Transaction) error {
	_, err := WithTransaction(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) }, opts...)
	return err
}

// WithTransaction is [Session.WithTransaction] for a function that returns a value.
func WithTransaction[T any](ctx context.Context, s *Session, fn func(ctx context.Context) (T, error),
	opts ...*options.Transaction) (T, error) {
	w := withTransaction{s: s, o: merged(opts), began: time.Now()}
	var result T
	err := w.run(ctx, func(ctx context.Context) (err error) {
		result, err = fn(ctx)
		return err
	})
	return result, err
}
