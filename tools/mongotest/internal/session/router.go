// What a router knows of the transactions of a session: those that began at the router. Routers tell each other nothing, and a router
// that restarts has forgotten everything.
//
// The shard knows every transaction. With a recovery token a router can ask it how a commit that began elsewhere ended.

package session

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// routerState is what one router knows of a session. The session's turn guards it.
type routerState struct {
	process bson.ObjectID // the router's process
	number  int64         // the newest transaction number that the router saw, -1 before the first
	began   bool          // the transaction began at this router; otherwise the router recovers its commit
	wrote   bool          // the transaction has written something, so its commit can be recovered
}

// stateAt returns what a router knows of the session.
func (one *Session) stateAt(router int, process bson.ObjectID) *routerState {
	if one.routers == nil {
		one.routers = map[int]*routerState{}
	}
	r := one.routers[router]
	if r == nil || r.process != process {
		r = &routerState{process: process, number: -1}
		one.routers[router] = r
	}
	return r
}

// route passes a statement on to the shard if its router knows the transaction, begins it, or can recover its commit.
func (s *Registry) route(st *Statement) (*routerState, error) {
	r, number := st.Session.stateAt(st.Node, st.Process), *st.TxnNumber
	switch {
	case number < r.number:
		return nil, status.Errorf(errcode.TransactionTooOld, "txnNumber %d is less than last txnNumber %d seen in session %s",
			number, r.number, st.sessionText())
	case st.StartsTxn && number == r.number:
		return nil, status.Errorf(errcode.ConflictingOperationInProgress, "txnNumber %d for session %s already started",
			number, st.sessionText())
	case st.StartsTxn:
		*r = routerState{process: r.process, number: number, began: true}
	case number > r.number && st.Name != "commitTransaction":
		return nil, status.Errorf(errcode.NoSuchTransaction, "cannot continue txnId %d for session %s with txnId %d",
			r.number, st.sessionText(), number)
	case number > r.number:
		*r = routerState{process: r.process, number: number}
	}
	if r.began {
		return r, nil
	}
	return r, s.recover(st)
}

// recover prepares the shard's answer about a transaction that began at another router. The shard aborts a transaction
// that is still open, so its answer stays true.
func (s *Registry) recover(st *Statement) error {
	token := st.Field("recoveryToken")
	if st.Name != "commitTransaction" {
		return status.Errorf(errcode.NoSuchTransaction, "no known command has been sent by this router for this transaction")
	}
	if token.IsZero() {
		return status.Errorf(50940, "Cannot recover the transaction decision without a recoveryToken")
	}
	d, ok := token.DocumentOK()
	if !ok {
		return status.WrongType("commitTransaction.recoveryToken", token, "object")
	}
	shard := d.Lookup("recoveryShardId")
	name, ok := shard.StringOK()
	switch {
	case shard.IsZero():
		return status.Errorf(errcode.NoSuchTransaction,
			"Recovery token is empty, meaning the transaction only performed reads and can be safely retried")
	case !ok:
		return status.WrongType("commitTransaction.recoveryToken.recoveryShardId", shard, "string")
	case name != s.Shard:
		return status.Errorf(errcode.ShardNotFound, "Shard %s not found", name)
	}
	if st.Session.txnNumber == *st.TxnNumber {
		s.abort(st.Session, aborted)
	}
	return nil
}

// checkRestart refuses to begin a transaction whose number the shard knows already, unless that transaction was aborted.
func (st *Statement) checkRestart() error {
	state := "TxnState::ExecutedRetryableWrite"
	if t := st.Session.transaction.Load(); t != nil {
		switch t.state.Load() {
		case inProgress:
			state = "TxnState::InProgress"
		case committing, committed:
			state = "TxnState::Committed"
		default:
			return nil
		}
	}
	return status.Errorf(50911, "Cannot start a transaction at given transaction number %d "+
		"a transaction with the same number is in state %s", *st.TxnNumber, state)
}

// RecoveryToken returns what a router's reply to a statement of a transaction carries. A transaction that has written nothing
// needs no recovery, so its token is empty.
func (u *Use) RecoveryToken(shard string) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if u.wrote {
		dst = bson.AppendStringElement(dst, "recoveryShardId", shard)
	}
	return bson.AppendDocumentEnd(dst, start)
}
