package session

import (
	"context"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Run runs a command of a session, which may be a statement of a transaction. It does not execute a statement of a
// retryable write twice: the engine repeats the earlier answer.
func (s *Registry) Run(ctx context.Context, st *Statement, write bool, run func() (bson.Raw, error)) (bson.Raw, error) {
	if st.Use == nil || st.TxnNumber == nil || !st.InTransaction && !write {
		return run()
	}
	one, number := st.Session, *st.TxnNumber
	select {
	case <-one.turn:
	case <-ctx.Done():
		return nil, status.Errorf(errcode.Interrupted, "operation was interrupted")
	}
	st.release = sync.OnceFunc(func() { one.turn <- struct{}{} })
	defer st.release()
	if st.InTransaction {
		return s.runStatement(st, run)
	}
	if number < one.txnNumber {
		return nil, st.errTooOld(number, one.txnNumber)
	}
	if number == one.txnNumber && one.transaction.Load() != nil {
		return nil, st.errConverted()
	}
	if number > one.txnNumber {
		s.abort(one, aborted)
		one.transaction.Store(nil)
		one.txnNumber = number
		one.retry.Store(engine.NewRetry())
	}
	return run()
}

// runStatement runs a statement of a transaction while it has the session's turn. A statement that fails aborts the
// transaction. A statement that an earlier check refused does not.
func (s *Registry) runStatement(st *Statement, run func() (bson.Raw, error)) (bson.Raw, error) {
	var router *routerState
	if s.Router {
		var err error
		if router, err = s.route(st); err != nil {
			return nil, err
		}
		st.wrote = router.wrote
	}
	t, err := s.checkOut(st)
	if err != nil {
		return nil, err
	}
	st.open = t
	body, err := run()
	if err != nil || failedStatement(body) {
		s.abort(st.Session, aborted)
	} else if s.Router && !st.endsTransaction() && t.txn.HasWritten() {
		router.wrote, st.wrote = true, true
	}
	return body, err
}

// failedStatement reports whether a write's reply says that part of it failed.
func failedStatement(reply bson.Raw) bool {
	n, _ := reply.Lookup("nErrors").AsInt64OK()
	return n > 0 || !reply.Lookup("writeErrors").IsZero()
}

// checkOut finds a statement's transaction, or begins it.
func (s *Registry) checkOut(st *Statement) (*Transaction, error) {
	one, number := st.Session, *st.TxnNumber
	t := one.transaction.Load()
	switch {
	case number < one.txnNumber:
		return nil, st.errTooOld(number, one.txnNumber)
	case st.StartsTxn && number == one.txnNumber && s.Router:
		if err := st.checkRestart(); err != nil {
			return nil, err
		}
		return s.begin(st)
	case st.StartsTxn && number == one.txnNumber:
		return nil, status.Errorf(errcode.ConflictingOperationInProgress,
			"Only servers in a sharded cluster can start a new transaction at the active transaction number")
	case st.StartsTxn:
		return s.begin(st)
	case number > one.txnNumber || t == nil:
		return nil, st.errNoSuchTransaction(one.txnNumber)
	}
	if s.Now().Sub(t.began) > s.TransactionLifetime() {
		s.abort(one, aborted)
	}
	if s.Set != nil && t.term != st.Term {
		s.abort(one, forgotten)
	}
	return t, st.checkProgress(t)
}

// begin starts the transaction with a number. It first aborts the session's open transaction.
func (s *Registry) begin(st *Statement) (*Transaction, error) {
	one := st.Session
	s.abort(one, aborted)
	one.txnNumber = *st.TxnNumber
	one.transaction.Store(nil)
	t := &Transaction{began: s.Now(), term: st.Term}
	if st.ReadAt == 0 {
		t.txn = s.Store.Begin()
	} else if txn, err := s.Store.BeginAt(st.ReadAt); err == nil {
		t.txn = txn
	} else {
		return nil, err
	}
	one.transaction.Store(t)
	if one.gone.Load() { // the session ended after the checks, before end could find the transaction
		s.abort(one, aborted)
	}
	if s.Set != nil {
		// The primary may have stepped down after the checks, before AbortAll could find the transaction.
		if _, now := s.Set.RoleOf(st.Node); now != t.term {
			s.abort(one, forgotten)
		}
	}
	return t, st.checkProgress(t)
}
