package mongotest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// tooOld is the error of a retryable write or a transaction whose number is below the newest one of its session.
func (r *request) tooOld(number, newest int64) error {
	kind, counter := "retryable write", -1
	if r.session.transaction.Load() != nil {
		kind, counter = "transaction", 0
	}
	switch in := r.session.inTransaction && r.d.wireAtLeast("5.0"); {
	case in && r.d.wireAtLeast("6.0"):
		return status.Errorf(errcode.TransactionTooOld,
			"Cannot start transaction with { txnNumber: %d } on session %s because a newer %s with txnNumberAndRetryCounter { txnNumber: %d, txnRetryCounter: %d } has already started on this session.",
			number, r.sessionText(), kind, newest, counter)
	case in:
		return status.Errorf(errcode.TransactionTooOld, "Cannot start transaction %d on session %s because a newer %s with txnNumber %d has already started on this session.",
			number, r.sessionText(), kind, newest)
	}
	if !r.d.wireAtLeast("5.0") {
		return status.Errorf(errcode.TransactionTooOld, "Cannot start transaction %d on session %s because a newer transaction %d has already started.",
			number, r.sessionText(), newest)
	}
	return status.Errorf(errcode.TransactionTooOld,
		"Retryable write with txnNumber %d is prohibited on session %s because a newer %s with txnNumber %d has already started on this session.",
		number, r.sessionText(), kind, newest)
}

// converted is the error of a retryable write whose number is a transaction's.
func (r *request) converted() error {
	if !r.d.wireAtLeast("6.0") {
		return status.Errorf(errcode.InvalidOptions, "Must specify autocommit=false on all operations of a multi-statement transaction.")
	}
	return status.Errorf(errcode.IncompleteTransactionHistory, "Cannot retry a retryable write that has been converted into a transaction")
}

// sessionText is a session as servers write it: its id and the digest of its user's name, and since 5.0 two fields that only
// sessions have which servers make themselves.
func (r *request) sessionText() string {
	_, id, _ := r.session.id.Lookup("id").BinaryOK()
	if len(id) != 16 {
		return ""
	}
	hexed := hex.EncodeToString(id)
	user := ""
	if owner := r.owner(); owner.name != "" {
		user = owner.name + "@" + owner.db
	}
	digest := sha256.Sum256([]byte(user))
	text := hexed[:8] + "-" + hexed[8:12] + "-" + hexed[12:16] + "-" + hexed[16:20] + "-" + hexed[20:] + " - " + base64.StdEncoding.EncodeToString(digest[:])
	if r.d.wireAtLeast("5.0") {
		text += " -  - "
	}
	return text
}
