package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// profileSize is how large system.profile becomes.
const profileSize = 1 << 20

// Profile adds a document to the system.profile of a database. Servers do not replicate it, so the oplog does not show it.
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
