package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// TransactionState is the state of a session's transaction.
type TransactionState = txn.State

// The states of a transaction.
const (
	TransactionNone       = txn.None
	TransactionStarting   = txn.Starting
	TransactionInProgress = txn.InProgress
	TransactionCommitted  = txn.Committed
	TransactionAborted    = txn.Aborted
)

// TransactionState returns the state of the session's transaction.
func (s *Session) TransactionState() TransactionState {
	if !s.isStarted() {
		return TransactionNone
	}
	return s.state.Transaction().State
}

// TransactionRunning reports whether operations with the session are part of a transaction.
func (s *Session) TransactionRunning() bool {
	if !s.isStarted() {
		return false
	}
	return s.state.Transaction().Active()
}

// PinnedServer is the address of the mongos or load balancer that the transaction is bound to, or "".
func (s *Session) PinnedServer() string {
	if !s.isStarted() {
		return ""
	}
	if server := s.state.PinnedServer(); server != nil {
		return server.Address()
	}
	return ""
}

// PinnedConnection is the number of the connection to a load balancer that the transaction is bound to, or 0.
func (s *Session) PinnedConnection() int64 {
	if !s.isStarted() {
		return 0
	}
	if conn := s.state.PinnedConnection(); conn != nil {
		return conn.ID()
	}
	return 0
}

// StartTransaction begins a transaction. Nothing is sent before its first operation. Options that are unset come from
// the session's options, then from the client.
func (s *Session) StartTransaction(opts ...*options.Transaction) error {
	if err := s.check(context.Background()); err != nil {
		return err
	}
	switch {
	case s.state.Ended():
		return errSessionEnded
	case s.state.Snapshot():
		return errSnapshotTransaction
	case lacksSessions(s.client.exec.Topology.Description()):
		return errTransactionsUnsupported
	}
	o := s.transactionOptions(mergeOptions(opts))
	switch {
	case !concern.IsAcknowledged(o.WriteConcern):
		return errUnacknowledgedTxn
	case option.Or(o.Timeout, 0) < 0, option.Or(o.MaxCommitTime, 0) < 0:
		return fault.ErrNegativeTimeout
	}
	if err := concern.ValidateWrite(o.WriteConcern); err != nil {
		return fmt.Errorf("mongo: %w", err) // report it now: at the commit, the program could no longer change the options
	}
	state := s.state.Transaction().State
	return adviseNextStep(state, s.state.Start(session.Transaction{
		ReadConcern: o.ReadConcern, WriteConcern: o.WriteConcern, ReadPreference: o.ReadPreference,
		MaxCommitTime: o.MaxCommitTime, Began: time.Now(),
	}))
}

// adviseNextStep adds what the program can do next to the specification's error for a call that the state does not
// allow.
func adviseNextStep(state TransactionState, err error) error {
	if err == nil {
		return nil
	}
	step := "call StartTransaction to begin another one"
	switch state {
	case TransactionNone:
		step = "call StartTransaction first, or use WithTransaction"
	case TransactionStarting, TransactionInProgress:
		step = "commit or abort it first"
	}
	return fmt.Errorf("mongo: %w: %s", err, step)
}

// lacksSessions reports whether the deployment is known to have no sessions, and so no transactions.
//
// Transactions, "startTransaction"; Driver Sessions, "How to Tell Whether a Connection Supports Sessions".
func lacksSessions(d *description.Topology) bool {
	return d.Type != description.LoadBalanced && d.LogicalSessionTimeoutMinutes == nil &&
		slices.ContainsFunc(d.Servers, func(s description.Server) bool { return s.Type.IsDataBearing() })
}

var errTransactionsUnsupported = errors.New("mongo: the deployment does not support transactions: one of its servers has no sessions")

// transactionOptions fills in the options that a transaction inherits from its session or client.
func (s *Session) transactionOptions(own *options.Transaction) options.Transaction {
	inherited := s.client.scope
	o := options.Transaction{
		ReadConcern: inherited.readConcern, WriteConcern: inherited.writeConcern, ReadPreference: inherited.readPreference,
	}
	if s.options.DefaultTransaction != nil {
		o.Merge(s.options.DefaultTransaction)
	}
	if own != nil {
		o.Merge(new(option.Copy(*own))) // the commit reads them, too
	}
	return o
}

// CommitTransaction commits the transaction. After an error with the label UnknownTransactionCommitResult it is unknown
// whether the transaction was committed: call CommitTransaction again. An error with the label
// TransientTransactionError means that it was not: repeat the whole transaction. WithTransaction does both for you.
func (s *Session) CommitTransaction(ctx context.Context, opts ...*options.EndTransaction) (err error) {
	if err := s.check(ctx); err != nil {
		return err
	}
	t := s.state.Transaction()
	next, timeout, err := s.prepareEnd(txn.Commit, opts)
	if err != nil {
		return err
	}
	if t.State == txn.Starting {
		t.Empty = true
		s.client.exec.TraceTransaction(ctx, s.state) // no operation has made its span
	}
	defer func() { s.state.EndSpan(err) }()
	t.State = next
	if t.Empty {
		s.state.Unpin() // a command that was never sent may have pinned it
		return nil
	}
	calls := &s.client.calls.commit
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.CommitTransaction{MaxCommitTime: t.MaxCommitTime, RecoveryToken: t.RecoveryToken}
	return s.end(ctx, &call.op, &call.cmd, timeout)
}

// AbortTransaction aborts the transaction and discards its writes. It returns an error only if the session has ended,
// if it has no transaction to abort, or if the options are wrong. A failure on the server does not matter: the server
// ends the transaction by itself sooner or later.
func (s *Session) AbortTransaction(ctx context.Context, opts ...*options.EndTransaction) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	t := s.state.Transaction()
	next, timeout, err := s.prepareEnd(txn.Abort, opts)
	if err != nil {
		return err
	}
	empty := t.State == txn.Starting
	if empty {
		s.client.exec.TraceTransaction(ctx, s.state) // no operation has made its span
	}
	defer s.state.EndSpan(nil)
	t.State = next
	if !empty {
		s.end(ctx, new(exec.Operation), &command.AbortTransaction{RecoveryToken: t.RecoveryToken}, timeout) // see above
	}
	s.state.Unpin()
	return nil
}

// prepareEnd returns the state that the transaction will have after its end, and the timeout for the command that ends
// it. It changes nothing.
//
// Client Side Operations Timeout, "Validation and Overrides".
func (s *Session) prepareEnd(how txn.Input, opts []*options.EndTransaction) (txn.State, *time.Duration, error) {
	if s.state.Ended() {
		return 0, nil, errSessionEnded
	}
	state := s.state.Transaction().State
	next, err := txn.Next(state, how)
	if err != nil {
		return 0, nil, adviseNextStep(state, err)
	}
	o := mergeOptions(opts)
	if o == nil || o.Timeout == nil {
		return next, s.timeout(), nil
	}
	return next, o.Timeout, exec.CheckTimeout(o.Timeout, s.state)
}

// end sends the command that ends the transaction.
func (s *Session) end(ctx context.Context, op *exec.Operation, cmd exec.Command, timeout *time.Duration) error {
	op.Command, op.DB, op.Session, op.Timeout = cmd, "admin", s.state, timeout
	_, err := s.client.run(ctx, op)
	return err
}
