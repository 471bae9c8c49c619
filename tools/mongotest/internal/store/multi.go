package store

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// Begin starts a transaction of several commands on the latest state. It does not see later commits. If it writes what
// someone else has written since, that write fails at once with WriteConflict.
func (s *Store) Begin() *Txn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beginAt(s.latest.Load())
}

// BeginAt starts a transaction on the state at a given time. A time after the newest write selects the newest state. A
// time before the oldest kept state fails with SnapshotTooOld.
func (s *Store) BeginAt(ts Timestamp) (*Txn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	base, err := s.at(ts)
	if err != nil {
		return nil, err
	}
	return s.beginAt(base), nil
}

// beginAt starts a transaction on a given state. The caller holds s.mu.
func (s *Store) beginAt(base *Snapshot) *Txn {
	tx := &Txn{store: s, base: base, snap: *base, edit: new(tree.Edit), multi: &multi{epoch: s.epoch}}
	tx.snap.provided = s.bare
	return tx
}

// Commit applies the writes of a transaction of several commands to the latest state, all at one time. Call it only
// once.
func (tx *Txn) Commit() (Timestamp, error) {
	s := tx.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if tx.multi.done {
		return 0, status.Errorf(errcode.IllegalOperation, "the transaction has ended")
	}
	tx.release()
	tx.multi.done = true
	if tx.multi.epoch != s.epoch {
		return 0, errEnded()
	}
	if len(tx.entries) == 0 {
		return tx.base.time, nil
	}
	replay := s.begin()
	for _, e := range tx.entries {
		replay.Origin = e.Origin
		if err := replay.redo(e); err != nil {
			// The write succeeded on the state that the transaction saw, so somebody else's write conflicts.
			if status.Is(err, errcode.DuplicateKey) {
				err = errConflict()
			}
			return 0, err
		}
	}
	for i, e := range replay.entries {
		e.Time, e.Index, e.Origin.InTxn = replay.snap.time, int32(i), true
	}
	replay.committed = tx.committed
	return s.commit(replay), nil
}

// redo repeats a logged write.
func (tx *Txn) redo(e *Entry) error {
	c := tx.snap.Collection(e.DB, e.Name)
	if e.Op == DDL {
		return tx.redoCommand(e)
	}
	if c == nil {
		return errConflict()
	}
	if e.Op == Insert {
		return tx.Insert(e.DB, e.Name, e.After)
	}
	old := c.FindID(path.Field(e.Key, "_id"))
	if old == nil {
		return errConflict()
	}
	if e.Op == Delete {
		return tx.Delete(e.DB, e.Name, old)
	}
	return tx.Replace(e.DB, e.Name, old, e.After, e.Diff)
}

// Abort discards a transaction of several commands. Its writes were never visible.
func (tx *Txn) Abort() {
	tx.store.mu.Lock()
	defer tx.store.mu.Unlock()
	if tx.multi.done {
		return
	}
	tx.release()
	tx.multi.done = true
}

// release gives up the claims. The caller holds the store's lock.
func (tx *Txn) release() {
	for _, cl := range tx.multi.claims {
		if tx.store.claims[cl] == tx {
			delete(tx.store.claims, cl)
		}
	}
	tx.multi.claims = nil
	close(*tx.store.released.Swap(new(make(chan struct{}))))
}
