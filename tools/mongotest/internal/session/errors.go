package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// errNoSuchTransaction is the error of a transaction number that is not active.
func (st *Statement) errNoSuchTransaction(active int64) error {
	return status.Errorf(errcode.NoSuchTransaction,
		"Given transaction number %d does not match any in-progress transactions. The active transaction number is %d",
		*st.TxnNumber, active)
}

// errTooOld is the error of a retryable write or transaction whose number is lower than the newest one of its session.
func (st *Statement) errTooOld(number, newest int64) error {
	kind, counter := "retryable write", -1
	if st.Session.transaction.Load() != nil {
		kind, counter = "transaction", 0
	}
	switch in := st.InTransaction && st.Wire >= wire.Server50; {
	case in && st.Wire >= wire.Server60:
		return status.Errorf(errcode.TransactionTooOld,
			"Cannot start transaction with { txnNumber: %d } on session %s because a newer %s with txnNumberAndRetryCounter { "+
				"txnNumber: %d, txnRetryCounter: %d } has already started on this session.",
			number, st.sessionText(), kind, newest, counter)
	case in:
		return status.Errorf(errcode.TransactionTooOld,
			"Cannot start transaction %d on session %s because a newer %s with txnNumber %d has already started on this session.",
			number, st.sessionText(), kind, newest)
	}
	if st.Wire < wire.Server50 {
		return status.Errorf(errcode.TransactionTooOld,
			"Cannot start transaction %d on session %s because a newer transaction %d has already started.",
			number, st.sessionText(), newest)
	}
	return status.Errorf(errcode.TransactionTooOld,
		"Retryable write with txnNumber %d is prohibited on session %s because a newer %s with txnNumber %d has already started on"+
			" this session.", number, st.sessionText(), kind, newest)
}

// errConverted returns the error of a retryable write whose number belongs to a transaction.
func (st *Statement) errConverted() error {
	if st.Wire < wire.Server60 {
		return status.Errorf(errcode.InvalidOptions, "Must specify autocommit=false on all operations of a multi-statement transaction.")
	}
	return status.Errorf(errcode.IncompleteTransactionHistory, "Cannot retry a retryable write that has been converted into a transaction")
}

// sessionText returns a session as servers print it: its id and the digest of its user's name. Servers from version 5.0 on
// print two more fields. Those are empty unless the server made the session.
func (st *Statement) sessionText() string {
	_, id, _ := st.ID.Lookup("id").BinaryOK()
	if len(id) != 16 {
		return ""
	}
	hexed := hex.EncodeToString(id)
	user := ""
	if st.Owner.Name != "" {
		user = st.Owner.Name + "@" + st.Owner.DB
	}
	digest := sha256.Sum256([]byte(user))
	text := hexed[:8] + "-" + hexed[8:12] + "-" + hexed[12:16] +
		"-" + hexed[16:20] + "-" + hexed[20:] + " - " + base64.StdEncoding.EncodeToString(digest[:])
	if st.Wire >= wire.Server50 {
		text += " -  - "
	}
	return text
}
