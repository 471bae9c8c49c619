// The command dropDatabase: removes every collection of the database.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var dropDatabaseFields = []field{{"comment", 0, anything}}

func (e *Engine) dropDatabase(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	if _, err := r.parse(dropDatabaseFields); err != nil {
		return nil, err
	}
	if err := checkName(r.DB, "$cmd"); err != nil {
		return nil, err
	}
	first, _ := r.Body.Index(0)
	switch {
	case !number.Is(first.Value.Type) && r.WireVersion >= wire.Server50:
		return nil, status.Errorf(errcode.TypeMismatch,
			"BSON field 'dropDatabase.dropDatabase' is the wrong type '%s', expected %s", first.Value.Type, integer)
	case r.DB == "admin":
		return nil, status.Errorf(errcode.IllegalOperation, "Dropping the 'admin' database is prohibited.")
	case number.Float64(first.Value) != 1:
		return nil, status.Errorf(errcode.IllegalOperation, "have to pass 1 as db parameter")
	}
	if reason, kept := e.kept[r.DB]; kept {
		return nil, status.Errorf(errcode.IllegalOperation, "%s", reason)
	}
	found := false
	err := e.write(ctx, r, func(tx *store.Txn) error {
		for _, c := range tx.Snapshot().Collections(r.DB) {
			if c.IsProvided() {
				continue // it belongs to the server, or goes with the collection that it is derived from
			}
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
