package engine

import (
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Servers since 8.0 store the documents of an insert in groups. These constants limit the number and the bytes of a group.
const (
	vectorMax   = 500
	vectorBytes = 256 << 10
)

// vector is a group of inserted documents that the oplog shows as one entry.
type vector struct {
	tx         *store.Txn
	from       int // the first entry of the group
	docs, size int
	apart      bool // log each document by itself
	mixed      bool // a document of the group failed, so a server stored the others one by one
}

// newVector begins the groups of a command. Transactions, capped and encrypted collections have none.
func newVector(tx *store.Txn, r *Request, c *store.Collection) *vector {
	apart := r.WireVersion < wire.Server80 || r.Txn != nil || c.Options.Capped || seriesOf(c) != nil || r.schema(c.DB, c.Name) != nil
	return &vector{tx: tx, from: tx.CountEntries(), apart: apart}
}

// add counts a document that is about to be stored.
func (v *vector) add(size int) {
	if v.docs == vectorMax || v.docs > 0 && v.size+size > vectorBytes {
		v.end()
	}
	v.docs, v.size = v.docs+1, v.size+size
}

// end ends a group, if there is one.
func (v *vector) end() {
	if v == nil {
		return
	}
	if !v.apart && !v.mixed {
		v.tx.Join(v.from)
	}
	v.from, v.docs, v.size, v.mixed = v.tx.CountEntries(), 0, 0, false
}
