// The commands commitTransaction and abortTransaction, and the transactions that they end.
//
// Left out: prepared transactions, as there is one shard at most. A statement that runs while a step-down aborts its
// transaction is told NoSuchTransaction or ends well, where a server interrupts it.

package mongotest

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// The states of a transaction.
const (
	txnOpen int32 = iota
	txnCommitting
	txnCommitted
	txnAborted
	txnForgotten // the primary that knew of it is gone, or its writes are lost
)

// transactionLifetime is how long a transaction stays open, unless transactionLifetimeLimitSeconds says otherwise.
const transactionLifetime = time.Minute

// transaction is the newest one of a session. The session's lock is held while a statement runs, but not by what aborts
// the transaction from outside.
type transaction struct {
	txn    *store.Txn
	began  time.Time
	office office // of the primary that began it
	router *node  // no other one knows of it

	state atomic.Int32
	at    atomic.Uint64 // the time of the commit, set before its state
}

func transactionCommands() []command {
	const traits = adminOnly | writes | inTxn | apiV1
	return []command{
		{name: "commitTransaction", traits: traits, run: commitTransaction},
		{name: "abortTransaction", traits: traits, run: abortTransaction},
	}
}

// checkInTransaction refuses the commands and databases that are not for transactions.
func (r *request) checkInTransaction(c command) error {
	refuse := func(format string, args ...any) error {
		return status.Errorf(errcode.OperationNotSupportedInTransaction, format, args...)
	}
	switch {
	case r.name == "count":
		return refuse("Cannot run 'count' in a multi-document transaction. Please see http://dochub.mongodb.org/core/transaction-count for a recommended alternative.")
	case !c.any(inTxn), (r.name == "create" || r.name == "createIndexes") && !r.d.wireAtLeast("4.4"):
		return refuse("Cannot run '%s' in a multi-document transaction.", r.name)
	case r.db == "local", r.db == "config", r.db == "admin" && !c.any(adminOnly) && r.name != "bulkWrite":
		return refuse("Cannot run command against the '%s' database in a transaction.", r.db)
	case r.session.startsTxn && r.name == "killCursors":
		return refuse("Cannot run killCursors as the first operation in a multi-document transaction.")
	}
	return nil
}

// checkTransactionReadConcern refuses a read concern after the first statement, and levels that a transaction cannot have.
func (r *request) checkTransactionReadConcern(sent bson.Raw) error {
	switch level := r.concerns.read.level; {
	case !r.session.startsTxn && len(sent) > 5:
		return status.Errorf(errcode.InvalidOptions, "Only the first command in a transaction may specify a readConcern")
	case !slices.Contains([]string{"local", majority, "snapshot"}, level):
		return status.Errorf(errcode.InvalidOptions, "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction")
	}
	return r.checkReplicated()
}

// runStatement runs a command of a transaction. The session's lock is held. A statement that fails aborts the transaction;
// one that is refused before it comes here does not.
func (d *Deployment) runStatement(r *request, c command) (bson.Raw, error) {
	t, err := d.checkOut(r)
	if err != nil {
		return nil, err
	}
	r.session.open = t
	body, err := c.run(r)
	if err != nil || failedStatement(body) {
		d.sessions.abort(r.session.session, txnAborted)
	}
	return body, err
}

// failedStatement reports whether a write says that it did not do all that it was asked for.
func failedStatement(reply bson.Raw) bool {
	n, _ := reply.Lookup("nErrors").AsInt64OK()
	return n > 0 || !reply.Lookup("writeErrors").IsZero()
}

// checkOut finds the transaction of a statement, or begins it.
func (d *Deployment) checkOut(r *request) (*transaction, error) {
	s, number := r.session.session, *r.session.txnNumber
	t := s.transaction.Load()
	switch {
	case number < s.txnNumber:
		return nil, r.tooOld(number, s.txnNumber)
	case r.session.startsTxn && number == s.txnNumber:
		if d.isRouter() {
			return nil, status.Errorf(errcode.ConflictingOperationInProgress, "txnNumber %d for session %s already started", number, r.sessionText())
		}
		return nil, status.Errorf(errcode.ConflictingOperationInProgress, "Only servers in a sharded cluster can start a new transaction at the active transaction number")
	case r.session.startsTxn:
		return d.begin(r)
	case number > s.txnNumber || t == nil:
		return nil, r.noSuchTransaction(s.txnNumber)
	}
	if t.router != nil && t.router != r.node {
		if err := d.recover(r); err != nil {
			return nil, err
		}
	}
	if d.config.now().Sub(t.began) > d.sessions.transactionLifetime {
		d.sessions.abort(s, txnAborted)
	}
	if d.set != nil && t.office != r.concerns.office {
		d.sessions.abort(s, txnForgotten)
	}
	return t, r.checkProgress(t)
}

// begin starts the transaction of a number. One that the session has open is aborted.
func (d *Deployment) begin(r *request) (*transaction, error) {
	s := r.session.session
	d.sessions.abort(s, txnAborted)
	s.txnNumber = *r.session.txnNumber
	s.transaction.Store(nil)
	t := &transaction{began: d.config.now(), office: r.concerns.office}
	if d.isRouter() {
		t.router = r.node
	}
	if at := r.concerns.read.at; at == 0 {
		t.txn = d.data.store.Begin()
	} else if txn, err := d.data.store.BeginAt(at); err == nil {
		t.txn = txn
	} else {
		return nil, err
	}
	s.transaction.Store(t)
	if s.gone.Load() { // forgotten after the command was let in, too early for what forgot it to find the transaction
		d.sessions.abort(s, txnAborted)
	}
	if d.set != nil {
		// The primary may have left after the command was let in, too early for abortAll to find the transaction.
		if _, now := d.set.standing(r.node); now != t.office {
			d.sessions.abort(s, txnForgotten)
		}
	}
	return t, r.checkProgress(t)
}

// recover is what a router does with a transaction that another one began: it can ask the shard what became of it when it
// is given the recovery token. The shard aborts one that is open, so that the answer stays true.
func (d *Deployment) recover(r *request) error {
	switch {
	case r.name != "commitTransaction":
		return status.Errorf(errcode.NoSuchTransaction, "cannot continue txnId -1 for session %s with txnId %d", r.sessionText(), *r.session.txnNumber)
	case r.field("recoveryToken").IsZero():
		return status.Errorf(50940, "Cannot recover the transaction decision without a recoveryToken")
	}
	d.sessions.abort(r.session.session, txnAborted)
	return nil
}

// checkProgress refuses statements of a transaction that has ended, but for another commit.
func (r *request) checkProgress(t *transaction) error {
	number := *r.session.txnNumber
	format := "Transaction %d has been %s."
	if r.d.wireAtLeast("6.0") {
		format = "Transaction with { txnNumber: %d } has been %s."
	}
	switch t.state.Load() {
	case txnForgotten:
		return r.noSuchTransaction(-1)
	case txnAborted:
		return status.Errorf(errcode.NoSuchTransaction, format, number, "aborted")
	case txnCommitted:
		if r.name != "commitTransaction" {
			return status.Errorf(errcode.TransactionCommitted, format, number, "committed")
		}
	}
	return nil
}

// noSuchTransaction is the error of a number that is not the active one.
func (r *request) noSuchTransaction(active int64) error {
	return status.Errorf(errcode.NoSuchTransaction,
		"Given transaction number %d does not match any in-progress transactions. The active transaction number is %d", *r.session.txnNumber, active)
}

// commitTransaction makes the writes of the transaction visible at once, then waits for the write concern. It can be
// repeated.
func commitTransaction(r *request) (bson.Raw, error) {
	t, err := r.transaction()
	if err != nil {
		return nil, err
	}
	if t.state.CompareAndSwap(txnOpen, txnCommitting) {
		t.txn.OnCommit(func() {
			t.at.Store(uint64(r.d.data.store.Latest().Time()))
			t.state.Store(txnCommitted) // a rollback that follows finds it
		})
		at, err := t.txn.Commit()
		r.d.closeTransactionCursors(r.session.id)
		if err != nil {
			t.state.Store(txnAborted)
			return nil, err
		}
		if t.state.Load() == txnCommitting { // nothing was written
			t.at.Store(uint64(at))
			t.state.Store(txnCommitted)
		}
	}
	if err := r.checkProgress(t); err != nil {
		return nil, err // it was aborted, or lost, in between
	}
	return r.settled(store.Timestamp(t.at.Load()))
}

// abortTransaction gives the transaction up.
func abortTransaction(r *request) (bson.Raw, error) {
	if _, err := r.transaction(); err != nil {
		return nil, err
	}
	r.d.sessions.abort(r.session.session, txnAborted)
	return r.settled(r.d.data.store.Latest().Time())
}

// transaction is the one that a command ends.
func (r *request) transaction() (*transaction, error) {
	if r.session == nil || r.session.open == nil {
		return nil, status.Errorf(errcode.CommandFailed, "%s must be run within a transaction", r.name)
	}
	return r.session.open, nil
}

// settled waits for the write concern, while other commands may use the session.
func (r *request) settled(at store.Timestamp) (bson.Raw, error) {
	ctx, cancel := r.timeLimit(engine.Command{Name: r.name})
	defer cancel()
	r.session.release()
	dst, start := bson.AppendDocumentStart(nil)
	if err := r.awaitWriteConcern(ctx, at); err != nil {
		dst = r.appendWriteConcernError(dst, status.From(err))
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// abort gives the session's open transaction up, if it has one. The lock of the sessions is not held: that of the store
// comes before it.
func (s *sessions) abort(one *session, become int32) {
	t := one.transaction.Load()
	if t == nil || !t.state.CompareAndSwap(txnOpen, become) {
		return
	}
	t.txn.Abort()
	s.aborted(one.id)
}

// abortAll gives up what the primary that leaves has open.
func (s *sessions) abortAll() {
	for _, one := range s.all() {
		s.abort(one, txnForgotten)
	}
}

// abortOld gives up what has been open for too long.
func (s *sessions) abortOld() {
	now := s.now()
	for _, one := range s.all() {
		if t := one.transaction.Load(); t != nil && now.Sub(t.began) > s.transactionLifetime {
			s.abort(one, txnAborted)
		}
	}
}

// lose notes that the transaction's writes are lost if it was committed after a time.
func (t *transaction) lose(after store.Timestamp) {
	if t != nil && store.Timestamp(t.at.Load()) > after {
		t.state.CompareAndSwap(txnCommitted, txnForgotten)
	}
}

// closeTransactionCursors closes the cursors that the session's transaction has opened, wherever they are.
func (d *Deployment) closeTransactionCursors(lsid bson.Raw) {
	for _, n := range d.nodes {
		n.engine.Cursors().KillTransaction(lsid)
	}
}
