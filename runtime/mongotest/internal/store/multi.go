package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// multi is what a transaction of several commands has besides its writes.
type multi struct {
	claims []claim
	done   bool
}

// claim names a document that an open transaction has written.
type claim struct {
	uuid bson.UUID
	key  string
}

// Begin starts a transaction of several commands, on the latest state. It sees nothing that is committed later. A write
// that meets a later write of someone else fails with WriteConflict at once.
func (s *Store) Begin() *Txn {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx := s.begin()
	tx.multi = &multi{}
	return tx
}

func conflict() error {
	e := writeConflict()
	e.Labels = []string{errcode.LabelTransientTransactionError}
	return e
}

func writeConflict() *status.Error {
	return status.Errorf(errcode.WriteConflict, "Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.")
}

// claim checks that nobody else wrote the record since the transaction began, and reserves it.
func (tx *Txn) claim(c *Collection, old *Record) error {
	return tx.claimKey(c, keyOf(old.Doc))
}

// claimKey does the same by document key. A single command claims nothing, but respects the claims of others.
func (tx *Txn) claimKey(c *Collection, key bson.Raw) error {
	if tx.multi == nil && len(tx.store.claims) == 0 {
		return nil
	}
	id := path.Field(key, "_id")
	cl := claim{c.UUID, string(compare.AppendKey(nil, id, nil))}
	if tx.multi == nil {
		if tx.store.claims[cl] != nil {
			return writeConflict()
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
		return conflict()
	}
	before := tx.base.Collection(c.DB, c.Name).FindID(id)
	now := tx.store.latest.Load().Collection(c.DB, c.Name).FindID(id)
	if before != now {
		return conflict()
	}
	tx.store.claims[cl] = tx
	tx.multi.claims = append(tx.multi.claims, cl)
	return nil
}

// Commit applies the writes of a transaction of several commands to the latest state, all at one time.
func (tx *Txn) Commit() (Timestamp, error) {
	s := tx.store
	s.mu.Lock()
	defer s.mu.Unlock()
	tx.release()
	if tx.multi.done {
		return 0, status.Errorf(errcode.IllegalOperation, "the transaction has ended")
	}
	tx.multi.done = true
	if len(tx.entries) == 0 {
		return tx.base.time, nil
	}
	replay := s.begin()
	for _, e := range tx.entries {
		replay.Origin = e.Origin
		if err := replay.redo(e); err != nil {
			return 0, err
		}
	}
	for _, e := range replay.entries {
		e.Origin.InTxn = true
	}
	return s.commit(replay), nil
}

// redo repeats a logged write.
func (tx *Txn) redo(e *Entry) error {
	c := tx.snap.Collection(e.DB, e.Name)
	if e.Op == DDL {
		return tx.redoCommand(e)
	}
	if c == nil {
		return conflict()
	}
	if e.Op == Insert {
		return tx.Insert(e.DB, e.Name, e.After)
	}
	old := c.FindID(path.Field(e.Key, "_id"))
	if old == nil {
		return conflict()
	}
	if e.Op == Delete {
		return tx.Delete(e.DB, e.Name, old)
	}
	return tx.Replace(e.DB, e.Name, old, e.After, e.Replace)
}

// Abort gives up a transaction of several commands. Its writes were never visible.
func (tx *Txn) Abort() {
	tx.store.mu.Lock()
	defer tx.store.mu.Unlock()
	tx.release()
	tx.multi.done = true
}

// release gives the claims back; the store's lock is held.
func (tx *Txn) release() {
	for _, cl := range tx.multi.claims {
		if tx.store.claims[cl] == tx {
			delete(tx.store.claims, cl)
		}
	}
	tx.multi.claims = nil
	close(*tx.store.released.Swap(new(make(chan struct{}))))
}
