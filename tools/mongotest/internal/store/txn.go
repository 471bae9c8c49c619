package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// begin starts from the latest state. The caller holds s.mu.
func (s *Store) begin() *Txn {
	base := s.latest.Load()
	tx := &Txn{store: s, base: base, snap: *base, edit: new(tree.Edit)}
	tx.snap.provided = s.bare
	return tx
}

// Snapshot returns the state including the transaction's own writes so far. Later writes do not change it.
func (tx *Txn) Snapshot() *Snapshot {
	tx.edit = new(tree.Edit) // later changes must copy what the snapshot shares
	s := tx.snap
	return &s
}

// Collection returns the current state of a collection, or nil if there is none. It is valid until the next write.
func (tx *Txn) Collection(db, name string) *Collection { return tx.snap.Collection(db, name) }

// Time returns the time of the transaction's last write, or of the state that it started from.
func (tx *Txn) Time() Timestamp { return tx.snap.time }

// HasWritten reports whether the transaction has written anything.
func (tx *Txn) HasWritten() bool { return len(tx.entries) > 0 }

// OnCommit registers f to run once the transaction's writes are visible, before anyone can write after them or truncate
// them. f must not use the store. It does not run for a transaction without writes, or if none of its writes remain.
func (tx *Txn) OnCommit(f func()) { tx.committed = append(tx.committed, f) }

// log adds an oplog entry and advances the transaction's time.
func (tx *Txn) log(e *Entry) {
	now := tx.store.now()
	tx.snap.time = max(tx.snap.time, tx.store.LatestHeard()).next(now)
	e.Time, e.Wall, e.Origin, e.Term = tx.snap.time, now, tx.Origin, tx.store.term.Load()
	tx.entries = append(tx.entries, e)
}

// CountEntries returns how many entries the transaction has written.
func (tx *Txn) CountEntries() int { return len(tx.entries) }

// Join gives the entries from a position on one time, so the oplog shows them as one.
func (tx *Txn) Join(from int) {
	list := tx.entries[from:]
	for i, e := range list {
		e.Time, e.Index = list[len(list)-1].Time, int32(i)
	}
}

// entriesMax limits how many entries are allocated together. The oplog also drops entries in groups.
const entriesMax = 64

// entry returns a copy of e from a shared block. The blocks grow with the number of entries that the transaction has
// written.
func (tx *Txn) entry(e Entry) *Entry {
	if len(tx.blank) == 0 {
		tx.blank = make([]Entry, min(len(tx.entries)+1, entriesMax))
	}
	out := &tx.blank[0]
	*out, tx.blank = e, tx.blank[1:]
	return out
}

// keyOf returns the document key of an oplog entry: the fields of the shard key if there is one, and _id.
func (tx *Txn) keyOf(c *Collection, doc bson.Raw) bson.Raw {
	if c.Options.ShardKey != nil {
		return c.shardedKey(doc)
	}
	id := path.Field(doc, "_id")
	if id.IsZero() {
		id = value.Null
	}
	const around = 10 // bytes, without the value
	if n := len(id.Value) + around; cap(tx.keys)-len(tx.keys) < n {
		tx.keys = make([]byte, 0, max(n, min(len(tx.entries)*32, 4096)))
	}
	from := len(tx.keys)
	d, start := bson.AppendDocumentStart(tx.keys)
	d = bson.AppendRawValueElement(d, "_id", id)
	tx.keys = bson.AppendDocumentEnd(d, start)
	return bson.Raw(tx.keys[from:len(tx.keys):len(tx.keys)])
}

func (tx *Txn) note(message string) {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, "msg", message)
	tx.log(&Entry{Op: Noop, Command: bson.AppendDocumentEnd(d, start)})
}

// own returns a collection that the transaction may change in place.
func (tx *Txn) own(c *Collection) *Collection {
	if c.owner == tx.edit {
		return c
	}
	copied := *c
	copied.owner = tx.edit
	copied.indexes = append([]*Index(nil), c.indexes...)
	tx.current = &copied
	tx.snap.catalog.Set(tx.edit, c.Namespace(), &copied)
	return &copied
}

// ownIndex returns the i-th index in a form that the transaction may change in place.
func (tx *Txn) ownIndex(c *Collection, i int) *Index {
	x := c.indexes[i]
	if x.owner == tx.edit {
		return x
	}
	copied := *x
	copied.owner = tx.edit
	c.indexes[i] = &copied
	return &copied
}

// find returns the transaction's state of a collection.
func (tx *Txn) find(db, name string) (*Collection, error) {
	if c := tx.current; c != nil && c.owner == tx.edit && c.Name == name && c.DB == db {
		return c, nil
	}
	c := tx.snap.Collection(db, name)
	if c == nil {
		return nil, status.Errorf(errcode.NamespaceNotFound, "ns does not exist: %s.%s", db, name)
	}
	if c.provided {
		return nil, status.Errorf(errcode.InvalidNamespace, "cannot write to %s.%s", db, name)
	}
	return c, nil
}

// Insert adds a document, which must have an _id. It does not create the collection.
func (tx *Txn) Insert(db, name string, doc bson.Raw) error {
	c, err := tx.find(db, name)
	if err != nil {
		return tx.store.provided.insert(db, name, doc, err)
	}
	id := c.lastID + 1
	changes, err := tx.plan(c, id, nil, doc)
	if err != nil {
		return err
	}
	if !tx.isUnclaimed() {
		if err := tx.claimKey(c, path.Field(doc, "_id")); err != nil {
			return err
		}
		if err := tx.claimUnique(c, changes); err != nil {
			return err
		}
	}
	c = tx.own(c)
	c.lastID = id
	c.records.Set(tx.edit, id, &Record{ID: id, Doc: doc})
	c.size += int64(len(doc))
	tx.apply(c, id, changes)
	tx.log(tx.entry(Entry{
		Op: Insert, DB: db, Name: name, UUID: c.UUID, Key: tx.keyOf(c, doc), After: doc,
		Images: c.Options.PreImages, Silent: c.Options.Silent,
	}))
	return tx.trim(c)
}

// Replace stores a new version of the record old. changed is the difference to log for an update of single fields; nil
// logs a replacement of the whole document.
func (tx *Txn) Replace(db, name string, old *Record, doc, changed bson.Raw) error {
	c, err := tx.find(db, name)
	if err != nil {
		return err
	}
	if err := tx.claim(c, old); err != nil {
		return err
	}
	changes, err := tx.plan(c, old.ID, old.Doc, doc)
	if err != nil {
		return err
	}
	if !tx.isUnclaimed() {
		if err := tx.claimUnique(c, changes); err != nil {
			return err
		}
	}
	c = tx.own(c)
	c.records.Set(tx.edit, old.ID, &Record{ID: old.ID, Doc: doc})
	c.size += int64(len(doc) - len(old.Doc))
	tx.apply(c, old.ID, changes)
	tx.log(tx.entry(Entry{
		Op: Update, DB: db, Name: name, UUID: c.UUID, Key: tx.keyOf(c, doc), Before: old.Doc, After: doc,
		Replace: changed == nil, Diff: changed,
		Images: c.Options.PreImages, Silent: c.Options.Silent,
	}))
	return nil
}

// Delete removes the record old.
func (tx *Txn) Delete(db, name string, old *Record) error {
	c, err := tx.find(db, name)
	if err != nil {
		return err
	}
	if err := tx.claim(c, old); err != nil {
		return err
	}
	changes, err := tx.plan(c, old.ID, old.Doc, nil)
	if err != nil {
		return err
	}
	c = tx.own(c)
	c.records.Delete(tx.edit, old.ID)
	c.size -= int64(len(old.Doc))
	tx.apply(c, old.ID, changes)
	tx.log(tx.entry(Entry{
		Op: Delete, DB: db, Name: name, UUID: c.UUID, Key: tx.keyOf(c, old.Doc), Before: old.Doc, Images: c.Options.PreImages,
		Silent: c.Options.Silent,
	}))
	return nil
}

// trim removes the oldest documents from a capped collection that has grown too large.
func (tx *Txn) trim(c *Collection) error {
	if !c.Options.Capped {
		return nil
	}
	for c.size > c.Options.MaxSize || c.Options.MaxCount > 0 && int64(c.records.Len()) > c.Options.MaxCount {
		_, oldest, ok := c.records.First().Next()
		if !ok || oldest.ID == c.lastID {
			return nil
		}
		if err := tx.Delete(c.DB, c.Name, oldest); err != nil {
			return err
		}
	}
	return nil
}

// plan computes the changes of every index and checks the unique indexes. It changes nothing yet.
func (tx *Txn) plan(c *Collection, id RecordID, old, doc bson.Raw) ([]change, error) {
	if cap(tx.scratch) < len(c.indexes) {
		tx.scratch = make([]change, len(c.indexes))
	}
	changes := tx.scratch[:len(c.indexes)]
	clear(changes)
	for i, x := range c.indexes {
		ch := &changes[i]
		switch {
		case doc == nil:
		case x.isID() && x.Partial == nil && old == nil:
			ch.makeIDKey(x, doc, id)
		default:
			var err error
			if ch.add, ch.met, err = x.keys(doc); err != nil {
				return nil, err
			}
		}
		if old != nil {
			ch.remove, _, _ = x.keys(old)
			ch.cancel()
		}
		if !x.Unique && !x.isID() {
			continue
		}
		for _, key := range ch.add {
			if _, taken := x.holder(key, id); taken {
				return nil, x.errDuplicate(c, doc, key)
			}
		}
	}
	return changes, nil
}

// apply carries out the changes on a collection that the transaction owns.
func (tx *Txn) apply(c *Collection, id RecordID, changes []change) {
	for i := range changes {
		ch := &changes[i]
		if len(ch.add) == 0 && len(ch.remove) == 0 && !c.indexes[i].learns(ch.met) {
			continue
		}
		x := tx.ownIndex(c, i)
		for _, key := range ch.remove {
			filed := entry(key, id)
			x.entries.Delete(tx.edit, filed)
			x.size -= int64(len(filed))
		}
		switch {
		case ch.filed != "":
			x.set(tx.edit, ch.filed, id)
		default:
			for _, key := range ch.add {
				x.set(tx.edit, entry(key, id), id)
			}
		}
		x.note(ch.met)
	}
}
