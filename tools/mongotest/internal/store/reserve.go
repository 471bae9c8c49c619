package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

// claim checks that no other transaction has written the record since the transaction began, and reserves it.
func (tx *Txn) claim(c *Collection, old *Record) error {
	if tx.isUnclaimed() {
		return nil
	}
	return tx.claimKey(c, path.Field(old.Doc, "_id"))
}

// isUnclaimed reports whether no transaction of several commands can conflict.
func (tx *Txn) isUnclaimed() bool { return tx.multi == nil && len(tx.store.claims) == 0 }

// claimKey reserves a document by its _id. A single command reserves nothing, but respects the claims of others.
func (tx *Txn) claimKey(c *Collection, id bson.RawValue) error {
	return tx.reserve(claim{c.UUID, "", string(compare.AppendKey(nil, id, nil))}, func(now *Snapshot) bool {
		before, after := tx.base.byUUID(c), now.byUUID(c)
		return (before == nil) == (after == nil) && before.FindID(id) == after.FindID(id)
	})
}

// claimUnique reserves the keys that a write adds to unique indexes. Two open transactions cannot hold the same key.
func (tx *Txn) claimUnique(c *Collection, changes []change) error {
	for i, x := range c.indexes {
		if !x.Unique || x.isID() {
			continue
		}
		for _, key := range changes[i].add {
			err := tx.reserve(claim{c.UUID, x.Name, key}, func(now *Snapshot) bool {
				return tx.base.byUUID(c).holderOf(x.Name, key) == now.byUUID(c).holderOf(x.Name, key)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reserve makes a claim. same reports whether the claimed thing is the same in the latest state as when the transaction
// began.
func (tx *Txn) reserve(cl claim, same func(now *Snapshot) bool) error {
	if tx.multi == nil {
		if tx.store.claims[cl] != nil {
			return errWriteConflict()
		}
		return nil
	}
	tx.store.mu.Lock()
	defer tx.store.mu.Unlock()
	switch tx.store.claims[cl] {
	case tx:
		return nil
	case nil:
	default:
		return errConflict()
	}
	if tx.multi.done || tx.multi.epoch != tx.store.epoch {
		return errEnded()
	}
	if !same(tx.store.latest.Load()) {
		return errConflict()
	}
	tx.store.claims[cl] = tx
	tx.multi.claims = append(tx.multi.claims, cl)
	return nil
}

// byUUID returns the snapshot's state of a collection. It returns nil if the name is free or belongs to another
// collection.
func (s *Snapshot) byUUID(c *Collection) *Collection {
	if found := s.Collection(c.DB, c.Name); found != nil && found.UUID == c.UUID {
		return found
	}
	return nil
}

// holderOf returns the record that has a key of an index, or 0 if there is none.
func (c *Collection) holderOf(index, key string) RecordID {
	x := c.Index(index)
	if x == nil {
		return 0
	}
	id, _ := x.holder(key, 0)
	return id
}
