// The commands commitTransaction and abortTransaction, and the transactions that they end.
//
// Left out: prepared transactions, as there is one shard at most. When a step-down aborts a transaction while one of
// its statements runs, the statement fails with NoSuchTransaction or succeeds, where a server interrupts it.

package session

import (
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// checkProgress refuses statements of a transaction that has ended. Another commit is allowed.
func (st *Statement) checkProgress(t *Transaction) error {
	number := *st.TxnNumber
	format := "Transaction %d has been %s."
	if st.Wire >= wire.Server60 {
		format = "Transaction with { txnNumber: %d } has been %s."
	}
	switch t.state.Load() {
	case forgotten:
		return st.errNoSuchTransaction(-1)
	case aborted:
		return status.Errorf(errcode.NoSuchTransaction, format, number, "aborted")
	case committed:
		if st.Name != "commitTransaction" {
			return status.Errorf(errcode.TransactionCommitted, format, number, "committed")
		}
	}
	return nil
}

// Commit makes the transaction's writes visible at once and returns the time of the commit. It can be repeated.
func (s *Registry) Commit(st *Statement) (store.Timestamp, error) {
	t, err := st.transaction()
	if err != nil {
		return 0, err
	}
	if t.state.CompareAndSwap(inProgress, committing) {
		t.txn.OnCommit(func() {
			t.at.Store(uint64(s.Store.Latest().Time()))
			t.state.Store(committed) // a later rollback must find it
		})
		at, err := t.txn.Commit()
		s.Aborted(st.ID)
		if err != nil {
			t.state.Store(aborted)
			return 0, err
		}
		if t.state.Load() == committing { // nothing was written
			t.at.Store(uint64(at))
			t.state.Store(committed)
		}
	}
	if err := st.checkProgress(t); err != nil {
		return 0, err // it was aborted or lost in the meantime
	}
	return store.Timestamp(t.at.Load()), nil
}

// endsTransaction reports whether the statement is a commit or an abort.
func (st *Statement) endsTransaction() bool {
	return st.Name == "commitTransaction" || st.Name == "abortTransaction"
}

// Abort ends the transaction without its writes.
func (s *Registry) Abort(st *Statement) (store.Timestamp, error) {
	if _, err := st.transaction(); err != nil {
		return 0, err
	}
	s.abort(st.Session, aborted)
	return s.Store.Latest().Time(), nil
}

// transaction returns the transaction that a command ends.
func (st *Statement) transaction() (*Transaction, error) {
	if st.Use == nil || st.open == nil {
		return nil, status.Errorf(errcode.CommandFailed, "%s must be run within a transaction", st.Name)
	}
	return st.open, nil
}

// AbortAll aborts the open transactions of a lost primary.
func (s *Registry) AbortAll() {
	for _, one := range s.all() {
		s.abort(one, forgotten)
	}
}

// AbortOld aborts the transactions that have been open for too long.
func (s *Registry) AbortOld() {
	now := s.Now()
	for _, one := range s.all() {
		if t := one.transaction.Load(); t != nil && now.Sub(t.began) > s.TransactionLifetime() {
			s.abort(one, aborted)
		}
	}
}
