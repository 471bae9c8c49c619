package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// dropDatabase removes every collection of the database.
func (e *Engine) dropDatabase(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	if _, err := r.parse([]field{{"comment", 0, anything}}); err != nil {
		return nil, err
	}
	found := false
	err := e.write(ctx, r, func(tx *store.Txn) error {
		for _, c := range tx.Snapshot().Collections(r.DB) {
			found = true
			if err := tx.Drop(c.DB, c.Name); err != nil {
				return err
			}
		}
		if found {
			tx.NoteDropDatabase(r.DB)
		}
		return nil
	})
	if err != nil || !found {
		return dst, err
	}
	return bson.AppendStringElement(dst, "dropped", r.DB), nil
}
