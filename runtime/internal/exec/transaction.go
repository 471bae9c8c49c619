package exec

import (
	"bytes"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

const primary = options.Primary

// commits reports whether the operation is commitTransaction.
func (e *execution) commits() bool {
	return e.op.EndsTransaction && e.session.Transaction().State == txn.Committed
}

// noteRecoveryToken keeps the token that a mongos sent last. An empty one with the answer to a commit changes nothing: a mongos
// that recovers the commit of another one answers so, because it knows nothing of the transaction. To the next mongos, an empty
// token means that the transaction has written nothing and can be repeated, and withTransaction would do it twice.
//
// Transactions, "recoveryToken field".
func (t *try) noteRecoveryToken(value bson.RawValue) {
	token, _ := value.DocumentOK()
	if t.commits() && len(token) <= emptyDocument {
		return
	}
	t.session.Transaction().RecoveryToken = bytes.Clone(token) // the reply may be large, or its memory used again
}

// emptyDocument is the size of a document without fields.
const emptyDocument = 5

// pin binds the transaction to the router of its first command.
//
// Transactions, "Mongos Pinning"; Load Balancers, "Connection Pinning".
func (t *try) pin() {
	if !t.first || t.session.PinnedServer() != nil {
		return
	}
	switch t.server.Type() {
	case description.Mongos:
		t.session.Pin(t.server, nil)
	case description.LoadBalancer:
		if t.owned { // a cursor keeps its own connection
			t.session.Pin(t.server, t.pooled)
			t.owned = false
		}
	}
}

// appendTransaction writes the fields of a command in a transaction.
//
// Transactions, "Constructing the first command within a transaction".
func (t *try) appendTransaction(dst []byte) []byte {
	dst = bson.AppendInt64Element(dst, "txnNumber", t.session.Server().TxnNumber())
	if t.first {
		dst = bson.AppendBooleanElement(dst, "startTransaction", true)
	}
	return bson.AppendBooleanElement(dst, "autocommit", false)
}

// appendTransactionConcern writes the transaction's read concern into its first command and its write concern into its
// last one.
func (t *try) appendTransactionConcern(dst []byte) ([]byte, error) {
	concern := t.session.Transaction()
	switch {
	case t.first:
		return command.AppendReadConcern(dst, "readConcern", concern.ReadConcern, t.session.After(), bson.Timestamp{}), nil
	case t.op.EndsTransaction:
		wc := concern.WriteConcern
		if t.commits() && concern.CommitTried {
			wc = majority(wc)
		}
		return command.AppendWriteConcern(dst, "writeConcern", wc, t.op.csot)
	}
	return dst, nil
}

// majority is the write concern of a commit if an earlier commit may have taken place.
//
// Transactions, "writeConcern for commitTransaction attempts".
func majority(wc *options.WriteConcern) *options.WriteConcern {
	var changed options.WriteConcern
	if wc != nil {
		changed = *wc
	}
	changed.W = "majority"
	if changed.WTimeout == nil || *changed.WTimeout == 0 {
		changed.WTimeout = new(txn.CommitRetryWTimeout)
	}
	return &changed
}

// settle updates the transaction after a try. Only the end of a transaction and its first command may be retried on another
// server: any other command keeps its pin until the operation has failed.
//
// Transactions, "Mongos Pinning", "When to unpin" and "Interaction with Client Backpressure".
func (e *execution) settle(err error) {
	if !e.inTxn {
		return
	}
	t := e.session.Transaction()
	switch {
	case e.commits():
		if !fault.HasLabel(err, fault.LabelRetryableError) || !fault.HasLabel(err, fault.LabelSystemOverloadedError) {
			t.CommitTried = true
		}
		t.CommitUnknown = fault.HasLabel(err, fault.LabelUnknownTransactionCommitResult)
		if fault.HasLabel(err, fault.LabelUnknownTransactionCommitResult) || fault.HasLabel(err, fault.LabelTransientTransactionError) {
			e.session.Unpin()
		}
	case e.op.EndsTransaction:
		if err != nil {
			e.session.Unpin()
		}
	case e.first:
		e.unpin(err)
	}
}

// unpin removes the pin of a transaction in which an operation has failed for good. The server has aborted the transaction, or
// cannot be reached.
//
// Transactions, "When to unpin", item 2.
func (e *execution) unpin(err error) {
	if e.inTxn && fault.HasLabel(err, fault.LabelTransientTransactionError) {
		e.session.Unpin()
	}
}

// transactionLabels adds the labels that tell a program what it may repeat. A server that was too busy for another commit
// has not said what became of the one before: the label of that one stays.
//
// Transactions, "Error Labels".
func (t *try) transactionLabels(err error) error {
	if !t.inTxn {
		return err
	}
	if !t.op.EndsTransaction {
		if transient(err) {
			return fault.AddLabels(err, fault.LabelTransientTransactionError)
		}
		return err
	}
	stillUnknown := t.session.Transaction().CommitUnknown && fault.HasLabel(err, fault.LabelSystemOverloadedError)
	if t.commits() && (commitUnknown(err) || stillUnknown) {
		return fault.AddLabels(err, fault.LabelUnknownTransactionCommitResult)
	}
	return err
}

// transient reports whether no server has replied.
func transient(err error) bool {
	if fault.IsNetworkError(err) {
		return true
	}
	_, ok := errors.AsType[fault.ServerSelectionError](err)
	return ok
}

// commitUnknown reports whether a commit that failed with err may have taken place nevertheless.
func commitUnknown(err error) bool {
	if transient(err) || fault.HasLabel(err, fault.LabelRetryableWriteError) || fault.IsTimeout(err) {
		return true
	}
	w, ok := errors.AsType[fault.WriteConcernError](err)
	return ok && !w.Code.IsWriteConcernRefused()
}
