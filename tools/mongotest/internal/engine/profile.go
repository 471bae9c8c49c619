package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// profileSize is the maximum size of system.profile.
const profileSize = 1 << 20

// Profile adds a document to a database's system.profile. Servers do not replicate it, so the oplog does not have it.
func (e *Engine) Profile(db string, doc bson.Raw) error {
	_, err := e.store.Update(func(tx *store.Txn) error {
		tx.Unlogged = true
		const name = "system.profile"
		if tx.Collection(db, name) == nil {
			index, err := idIndex(nil)
			if err != nil {
				return err
			}
			d, start := bson.AppendDocumentStart(nil)
			d = bson.AppendBooleanElement(d, "capped", true)
			d = bson.AppendDocumentEnd(bson.AppendInt64Element(d, "size", profileSize), start)
			tx.Create(db, name, store.Options{Capped: true, MaxSize: profileSize, Document: d}, index)
		}
		return tx.Insert(db, name, doc)
	})
	return err
}
