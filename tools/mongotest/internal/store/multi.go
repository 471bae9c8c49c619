package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// multi is the additional state of a transaction of several commands.
type multi struct {
	claims []claim
	epoch  int // the epoch of the store when the transaction began
	done   bool
}

// claim identifies a document that an open transaction has written, or a key that it has added to a unique index.
type claim struct {
	uuid  bson.UUID
	index string
	key   string
}

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

func conflict() error {
	e := writeConflict()
	e.Labels = []string{errcode.LabelTransientTransactionError}
	return e
}

func writeConflict() *status.Error {
	return status.Errorf(errcode.WriteConflict,
		"Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or "+
			"multi-document transaction.")
}

// claim checks that nobody else has written the record since the transaction began, and reserves it.
func (tx *Txn) claim(c *Collection, old *Record) error {
	if tx.unclaimed() {
		return nil
	}
	return tx.claimKey(c, path.Field(old.Doc, "_id"))
}

// unclaimed reports whether no transaction of several commands can conflict.
func (tx *Txn) unclaimed() bool { return tx.multi == nil && len(tx.store.claims) == 0 }

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
				return tx.base.byUUID(c).holds(x.Name, key) == now.byUUID(c).holds(x.Name, key)
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
	if tx.multi.done || tx.multi.epoch != tx.store.epoch {
		return ended()
	}
	if !same(tx.store.latest.Load()) {
		return conflict()
	}
	tx.store.claims[cl] = tx
	tx.multi.claims = append(tx.multi.claims, cl)
	return nil
}

// exclusive finds a collection to drop or change as a whole. A single command respects the transactions that have
// written to it.
func (tx *Txn) exclusive(db, name string) (*Collection, error) {
	c, err := tx.find(db, name)
	if err != nil || tx.unclaimed() || tx.multi != nil {
		return c, err
	}
	for cl := range tx.store.claims {
		if cl.uuid == c.UUID {
			return nil, writeConflict()
		}
	}
	return c, nil
}

// byUUID returns the snapshot's state of a collection. It returns nil if the name is free or belongs to another
// collection.
func (s *Snapshot) byUUID(c *Collection) *Collection {
	if found := s.Collection(c.DB, c.Name); found != nil && found.UUID == c.UUID {
		return found
	}
	return nil
}

// holds returns the record that has a key of an index, or 0 if there is none.
func (c *Collection) holds(index, key string) RecordID {
	x := c.Index(index)
	if x == nil {
		return 0
	}
	id, _ := x.holder(key, 0)
	return id
}

func ended() error {
	e := status.Errorf(errcode.NoSuchTransaction, "Transaction has been aborted.")
	e.Labels = []string{errcode.LabelTransientTransactionError}
	return e
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
		return 0, ended()
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
				err = conflict()
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
