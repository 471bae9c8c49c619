// The command renameCollection: renames a collection, or moves it to another database.
//
// Left out: a collection that moves to another database should get a new UUID, but keeps its own.

package engine

import (
	"context"

	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var renameFields = []field{
	{"to", 0, text | required}, {"dropTarget", 0, boolean}, {"stayTemp", 0, boolean}, {"comment", 0, anything},
	{"collectionUUID", wire.Server60, uuid},
}

func (e *Engine) renameCollection(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(renameFields)
	if err != nil {
		return nil, err
	}
	first, _ := r.Body.Index(0)
	switch {
	case r.DB != "admin":
		return nil, status.Errorf(errcode.Unauthorized, "renameCollection may only be run against the admin database.")
	case first.Value.Type != bsontype.String:
		return nil, status.Errorf(errcode.TypeMismatch,
			"BSON field 'renameCollection.renameCollection' is the wrong type '%s', expected type 'string'", first.Value.Type)
	}
	m := &move{a: a, wire: r.WireVersion}
	m.fromDB, m.from = namespace(value.Text(first.Value))
	m.toDB, m.to = namespace(a.text("to"))
	for _, ns := range [...][2]string{{m.fromDB, m.from}, {m.toDB, m.to}} {
		if err := checkName(ns[0], ns[1]); err != nil {
			return nil, err
		}
	}
	if m.fromDB == m.toDB && m.from == m.to {
		return nil, status.Errorf(errcode.IllegalOperation, "Can't rename a collection to itself")
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		if err := r.checkUUIDIn(tx, a, m.fromDB, m.from); err != nil {
			return err
		}
		return m.run(tx)
	})
}

// move is one renameCollection.
type move struct {
	a                      *args
	wire                   int32
	fromDB, from, toDB, to string
}

func (m *move) run(tx *store.Txn) error {
	c, old := tx.Collection(m.fromDB, m.from), tx.Collection(m.toDB, m.to)
	switch {
	case c == nil:
		return status.Errorf(errcode.NamespaceNotFound, "Source collection %s.%s does not exist", m.fromDB, m.from)
	case c.IsView():
		return status.Errorf(errcode.CommandNotSupportedOnView, "cannot rename view: %s", c.Namespace())
	case isTimeSeries(c):
		return status.Errorf(errcode.IllegalOperation, "Cannot rename timeseries collection %s", c.Namespace())
	case old != nil && old.IsView():
		return status.Errorf(errcode.NamespaceExists, "a view already exists with that name: %s", old.Namespace())
	case old != nil && !m.a.bool("dropTarget"):
		return status.Errorf(errcode.NamespaceExists, "target namespace exists")
	case old == nil:
		if err := checkNew(tx.Snapshot(), m.wire, m.toDB, m.to); err != nil {
			return err
		}
	}
	return tx.Rename(m.fromDB, m.from, m.toDB, m.to)
}
