package store

import (
	"crypto/rand"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// ddl logs a change of the catalog as the command that caused it.
func (tx *Txn) ddl(c *Collection, command string, extra func(dst []byte) []byte) {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, command, c.Name)
	if extra != nil {
		d = extra(d)
	}
	tx.log(&Entry{
		Op: DDL, DB: c.DB, Name: c.Name, UUID: c.UUID, View: c.IsView(), Silent: c.Options.Silent,
		Command: bson.AppendDocumentEnd(d, start),
	})
}

// lastEntry returns the newest entry that the transaction has logged.
func (tx *Txn) lastEntry() *Entry { return tx.entries[len(tx.entries)-1] }

// Create makes a view, or a collection with its index on _id. The caller has checked that the name is free.
func (tx *Txn) Create(db, name string, options Options, id *Index) *Collection {
	c := &Collection{DB: db, Name: name, Options: options, owner: tx.edit}
	_, _ = rand.Read(c.UUID[:])
	c.UUID[6], c.UUID[8] = c.UUID[6]&0x0f|0x40, c.UUID[8]&0x3f|0x80
	if tx.NewUUID != (bson.UUID{}) {
		c.UUID, tx.NewUUID = tx.NewUUID, bson.UUID{}
	}
	if !c.IsView() {
		x := *id
		x.owner, x.paths, x.Usage = tx.edit, x.fieldPaths(), &Usage{Since: tx.store.now()}
		c.indexes = []*Index{&x}
	}
	tx.current = nil
	tx.snap.catalog.Set(tx.edit, c.Namespace(), c)
	tx.ddl(c, "create", func(dst []byte) []byte {
		dst = appendFields(dst, options.Document)
		if len(c.indexes) > 0 {
			dst = bson.AppendDocumentElement(dst, "idIndex", c.indexes[0].Spec)
		}
		return dst
	})
	tx.lastEntry().made = c
	return c
}

// Drop removes a collection or view.
func (tx *Txn) Drop(db, name string) error {
	c, err := tx.findExclusive(db, name)
	if err != nil {
		return err
	}
	tx.current = nil
	tx.snap.catalog.Delete(tx.edit, c.Namespace())
	tx.dropped += c.Size()
	tx.ddl(c, "drop", nil)
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendInt32Element(d, "numRecords", int32(c.Len()))
	tx.lastEntry().Old = bson.AppendDocumentEnd(d, start)
	return nil
}

// NoteDropDatabase logs the drop of a database. Its collections are already dropped.
func (tx *Txn) NoteDropDatabase(db string) {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendInt32Element(d, "dropDatabase", 1)
	tx.log(&Entry{Op: DDL, DB: db, Command: bson.AppendDocumentEnd(d, start)})
}

// Rename moves a collection. It replaces the target if that exists.
func (tx *Txn) Rename(db, name, toDB, to string) error {
	c, err := tx.findExclusive(db, name)
	if err != nil {
		return err
	}
	var target *Collection
	if tx.snap.Collection(toDB, to) != nil {
		if target, err = tx.findExclusive(toDB, to); err != nil {
			return err
		}
		tx.dropped += target.Size()
	}
	tx.current = nil
	tx.snap.catalog.Delete(tx.edit, c.Namespace())
	moved := *c
	moved.DB, moved.Name = toDB, to
	tx.snap.catalog.Set(tx.edit, moved.Namespace(), &moved)
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, "renameCollection", db+"."+name)
	d = bson.AppendStringElement(d, "to", toDB+"."+to)
	d = bson.AppendBooleanElement(d, "stayTemp", false)
	if target != nil {
		d = bson.AppendBinaryElement(d, "dropTarget", bsontype.BinaryUUID, target.UUID[:])
	}
	tx.log(&Entry{Op: DDL, DB: db, Name: name, UUID: c.UUID, Command: bson.AppendDocumentEnd(d, start)})
	return nil
}

// Modify changes the options of a collection or view.
func (tx *Txn) Modify(db, name string, options Options) error {
	c, err := tx.findExclusive(db, name)
	if err != nil {
		return err
	}
	old := c.Options.Document
	changes := changedFields(old, options.Document)
	c = tx.own(c)
	c.Options = options
	tx.ddl(c, "collMod", func(dst []byte) []byte { return append(dst, changes...) })
	tx.lastEntry().Old = describeBefore(c, old, nil)
	return nil
}

// describeBefore describes the state before a collMod: the options of the collection, and the specification of the index if it
// changed.
func describeBefore(c *Collection, options, index bson.Raw) bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	d, in := bson.AppendDocumentElementStart(d, "collectionOptions_old")
	if !c.IsView() {
		d = bson.AppendBinaryElement(d, "uuid", bsontype.BinaryUUID, c.UUID[:])
	}
	d = bson.AppendDocumentEnd(appendFields(d, options), in)
	if index != nil {
		d = bson.AppendDocumentElement(d, "indexOptions_old", index)
	}
	return bson.AppendDocumentEnd(d, start)
}

// changedFields returns the fields that must change to turn old into now, in the form that a collMod takes.
func changedFields(old, now bson.Raw) (dst []byte) {
	for key, v := range now.All() {
		if !path.Field(old, key).Equal(v) {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	for key, v := range old.All() {
		switch {
		case !path.Field(now, key).IsZero():
		case key == "changeStreamPreAndPostImages":
			var start int
			dst, start = bson.AppendDocumentElementStart(dst, key)
			dst = bson.AppendDocumentEnd(bson.AppendBooleanElement(dst, "enabled", false), start)
		case v.Type == bsontype.EmbeddedDocument:
			dst = bson.AppendRawValueElement(dst, key, value.Document(value.EmptyDocument))
		case v.Type == bsontype.Boolean:
			dst = bson.AppendBooleanElement(dst, key, false)
		default:
			dst = bson.AppendStringElement(dst, key, "off")
		}
	}
	return dst
}

// Note logs an entry without effect that records a command, such as one that a router ran.
func (tx *Txn) Note(db, name string, message, command bson.Raw) {
	e := &Entry{Op: Noop, DB: db, Name: name, Command: message, Old: command}
	if c := tx.snap.Collection(db, name); c != nil {
		e.UUID = c.UUID
	}
	tx.log(e)
}

// Shard sets the shard key of a collection; nil makes it an ordinary collection. It logs nothing.
func (tx *Txn) Shard(db, name string, key bson.Raw) {
	c := tx.snap.Collection(db, name)
	if c == nil || c.IsView() {
		return
	}
	c = tx.own(c)
	c.Options.ShardKey = nil
	for field := range key.All() {
		c.Options.ShardKey = append(c.Options.ShardKey, path.Parse(field))
	}
}

// shardedKey returns the document key of a document in a sharded collection. It has no field that the document lacks.
func (c *Collection) shardedKey(doc bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	withID := false
	for _, p := range c.Options.ShardKey {
		v := doc.Lookup(p...)
		if !v.IsZero() {
			dst = bson.AppendRawValueElement(dst, p.String(), v)
		}
		withID = withID || p.String() == "_id"
	}
	if id := path.Field(doc, "_id"); !withID && !id.IsZero() {
		dst = bson.AppendRawValueElement(dst, "_id", id)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func appendFields(dst []byte, d bson.Raw) []byte {
	for key, v := range d.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return dst
}

// ModifyIndex changes the properties of an index. Its keys stay.
func (tx *Txn) ModifyIndex(db, name, index string, change func(*Index)) error {
	c, err := tx.find(db, name)
	if err != nil {
		return err
	}
	c = tx.own(c)
	for i, x := range c.indexes {
		if x.Name == index {
			spec := x.Spec
			x = tx.ownIndex(c, i)
			change(x)
			tx.ddl(c, "collMod", func(dst []byte) []byte {
				dst, start := bson.AppendDocumentElementStart(dst, "index")
				dst = bson.AppendStringElement(dst, "name", index)
				return bson.AppendDocumentEnd(append(dst, changedFields(spec, x.Spec)...), start)
			})
			tx.lastEntry().Old = describeBefore(c, c.Options.Document, spec)
			return nil
		}
	}
	return status.Errorf(errcode.IndexNotFound, "cannot find index %s for ns %s", index, c.Namespace())
}

// CreateIndex adds an index and builds its keys for every document.
func (tx *Txn) CreateIndex(db, name string, index *Index) error {
	c, err := tx.findExclusive(db, name)
	if err != nil {
		return err
	}
	x := *index
	x.owner, x.paths, x.entries, x.size = tx.edit, x.fieldPaths(), tree.Map[string, RecordID]{}, 0
	x.Usage = &Usage{Since: tx.store.now()}
	for scan := c.Scan(0); ; {
		r := scan.Next()
		if r == nil {
			break
		}
		keys, met, err := x.keys(r.Doc)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if _, taken := x.holder(key, r.ID); x.Unique && taken {
				return x.errDuplicate(c, r.Doc, key)
			}
			x.set(tx.edit, entry(key, r.ID), r.ID)
		}
		x.note(met)
	}
	c = tx.own(c)
	c.indexes = append(c.indexes, &x)
	tx.ddl(c, "createIndexes", func(dst []byte) []byte { return appendFields(dst, x.Spec) })
	tx.lastEntry().index = index
	return nil
}

// DropIndex removes an index.
func (tx *Txn) DropIndex(db, name, index string) error {
	c, err := tx.findExclusive(db, name)
	if err != nil {
		return err
	}
	c = tx.own(c)
	for i, x := range c.indexes {
		if x.Name != index {
			continue
		}
		c.indexes = append(c.indexes[:i:i], c.indexes[i+1:]...)
		tx.ddl(c, "dropIndexes", func(dst []byte) []byte {
			return bson.AppendStringElement(dst, "index", x.Name)
		})
		tx.lastEntry().Old = x.Spec
		return nil
	}
	return status.Errorf(errcode.IndexNotFound, "index not found with name [%s]", index)
}

// redoCommand repeats the creation of a collection or an index. A transaction may make no other change to the catalog.
func (tx *Txn) redoCommand(e *Entry) error {
	if e.index != nil {
		if c := tx.snap.Collection(e.DB, e.Name); c == nil || c.Index(e.index.Name) != nil {
			return errConflict()
		}
		return tx.CreateIndex(e.DB, e.Name, e.index)
	}
	if name := path.Field(e.Command, "create"); name.IsZero() {
		return status.Errorf(errcode.OperationNotSupportedInTransaction, "Cannot replay %s in a transaction", status.Text(e.Command))
	}
	if tx.snap.Collection(e.DB, e.Name) != nil {
		return errConflict()
	}
	var empty Index
	if len(e.made.indexes) > 0 {
		empty = *e.made.indexes[0]
		empty.entries, empty.size = tree.Map[string, RecordID]{}, 0
	}
	tx.Create(e.DB, e.Name, e.made.Options, &empty)
	return nil
}

// findExclusive finds a collection to drop or change as a whole. A single command respects the transactions that have
// written to it.
func (tx *Txn) findExclusive(db, name string) (*Collection, error) {
	c, err := tx.find(db, name)
	if err != nil || tx.isUnclaimed() || tx.multi != nil {
		return c, err
	}
	for cl := range tx.store.claims {
		if cl.uuid == c.UUID {
			return nil, errWriteConflict()
		}
	}
	return c, nil
}
