package engine

import (
	"context"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// renameCollection moves a collection to another name, in another database too.
func (e *Engine) renameCollection(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse([]field{{"to", 0, text}, {"dropTarget", 0, boolean}, {"stayTemp", 0, boolean}, {"comment", 0, anything}, {"collectionUUID", 0, anything}})
	if err != nil {
		return nil, err
	}
	if r.DB != "admin" {
		return nil, status.Errorf(errcode.Unauthorized, "renameCollection may only be run against the admin database.")
	}
	first, _ := r.Body.Index(0)
	fromDB, from := namespace(value.Text(first.Value))
	toDB, to := namespace(a.text("to"))
	for _, ns := range [...][2]string{{fromDB, from}, {toDB, to}} {
		if err := checkName(ns[0], ns[1]); err != nil {
			return nil, err
		}
	}
	if fromDB == toDB && from == to {
		return nil, status.Errorf(errcode.IllegalOperation, "Can't rename a collection to itself")
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Collection(fromDB, from)
		switch {
		case c == nil:
			return status.Errorf(errcode.NamespaceNotFound, "Source collection %s.%s does not exist", fromDB, from)
		case c.IsView():
			return status.Errorf(errcode.CommandNotSupportedOnView, "cannot rename view: %s.%s", fromDB, from)
		}
		if old := tx.Collection(toDB, to); old != nil {
			if !a.bool("dropTarget") {
				return status.Errorf(errcode.NamespaceExists, "target namespace exists")
			}
			if err := tx.Drop(toDB, to); err != nil {
				return err
			}
		}
		return tx.Rename(fromDB, from, toDB, to)
	})
}
