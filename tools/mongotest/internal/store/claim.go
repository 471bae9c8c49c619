package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// multi is the additional state of a transaction of several commands.
type multi struct {
	claims []claim
	epoch  int // the epoch of the store when the transaction began
	done   bool
}

// claim identifies a document that an open transaction has written, or a key that it has added to a unique index.
type claim struct {
	uuid  bson.UUID
	index string
	key   string
}

func errConflict() error {
	e := errWriteConflict()
	e.Labels = []string{errcode.LabelTransientTransactionError}
	return e
}

func errWriteConflict() *status.Error {
	return status.Errorf(errcode.WriteConflict,
		"Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or "+
			"multi-document transaction.")
}

func errEnded() error {
	e := status.Errorf(errcode.NoSuchTransaction, "Transaction has been aborted.")
	e.Labels = []string{errcode.LabelTransientTransactionError}
	return e
}
