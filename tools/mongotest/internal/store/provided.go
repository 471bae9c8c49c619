package store

import (
	"crypto/sha256"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// Provided is a collection that clients cannot write to. The server creates its documents when they are read.
type Provided struct {
	DB, Name string
	Options  Options
	// Documents creates the documents as of a time.
	Documents func(at Timestamp) []bson.Raw
	// Exists reports whether there is such a collection now; nil means that there always is.
	Exists func() bool
	// Insert takes a document that a client inserts; nil refuses it.
	Insert func(doc bson.Raw) error

	log *logView // for the oplog, instead of Documents
}

// provided holds the collections that a store provides.
type provided struct {
	list []*Provided
	// bare leaves the documents out. A transaction holds locks that the functions creating documents may wait for.
	bare bool

	derive  func(*Collection) *Derived
	mu      sync.Mutex
	derived map[string]derivation // the newest of each namespace
}

func (p *provided) find(db, name string, at Timestamp) *Collection {
	if p == nil {
		return nil
	}
	for _, x := range p.list {
		if x.DB == db && x.Name == name && (x.Exists == nil || x.Exists()) {
			return x.collection(at, p.bare)
		}
	}
	return nil
}

// insert hands a document to a provided collection that takes it. err is what a write to that collection fails with.
func (p *provided) insert(db, name string, doc bson.Raw, err error) error {
	for _, x := range p.list {
		if x.DB == db && x.Name == name && x.Insert != nil {
			return x.Insert(doc)
		}
	}
	return err
}

// inDatabase lists the provided collections of a database.
func (p *provided) inDatabase(db string, at Timestamp) (list []*Collection) {
	if p == nil {
		return nil
	}
	for _, x := range p.list {
		if x.DB == db && (x.Exists == nil || x.Exists()) {
			list = append(list, x.collection(at, p.bare))
		}
	}
	return list
}

func (x *Provided) collection(at Timestamp, bare bool) *Collection {
	sum := sha256.Sum256([]byte(x.DB + "." + x.Name))
	c := &Collection{DB: x.DB, Name: x.Name, Options: x.Options, UUID: bson.UUID(sum[:16]), provided: true}
	c.UUID[6], c.UUID[8] = c.UUID[6]&0x0f|0x40, c.UUID[8]&0x3f|0x80
	if bare {
		return c
	}
	if x.log != nil {
		c.records, c.size = x.log.at(at)
		return c
	}
	edit := new(tree.Edit)
	for _, d := range x.Documents(at) {
		c.lastID++
		c.size += int64(len(d))
		c.records.Set(edit, c.lastID, &Record{ID: c.lastID, Doc: d})
	}
	return c
}

// logView holds the documents of an oplog, created when they are read. Their RecordIDs are their times.
type logView struct {
	oplog    *Oplog
	document func([]*Entry) bson.Raw

	mu      sync.Mutex
	records tree.Map[RecordID, *Record]
	size    int64
	until   Timestamp
	epoch   int // of the oplog; it grows when entries are truncated
}

// at returns the documents up to a time.
func (v *logView) at(ts Timestamp) (tree.Map[RecordID, *Record], int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	edit := new(tree.Edit)
	if epoch := v.oplog.epochs(); epoch != v.epoch {
		v.records, v.size, v.until, v.epoch = tree.Map[RecordID, *Record]{}, 0, 0, epoch
	}
	var together []*Entry
	for e := range v.oplog.After(v.until) {
		if len(together) > 0 && together[0].Time != e.Time {
			v.add(edit, together)
			together = nil
		}
		together = append(together, e)
	}
	if len(together) > 0 {
		v.add(edit, together)
	}
	v.trim(edit, v.oplog.First())
	records, size := v.records, v.size
	edit = new(tree.Edit) // the view keeps its documents
	for v.until > ts {
		id, r, ok := records.Last().Next()
		if !ok || id <= RecordID(ts) {
			break
		}
		records.Delete(edit, id)
		size -= int64(len(r.Doc))
	}
	return records, size
}

func (v *logView) add(edit *tree.Edit, entries []*Entry) {
	at := entries[0].Time
	d := v.document(entries)
	v.records.Set(edit, RecordID(at), &Record{ID: RecordID(at), Doc: d})
	v.size += int64(len(d))
	v.until = at
}

// trim drops the documents whose entries the oplog has dropped.
func (v *logView) trim(edit *tree.Edit, first Timestamp) {
	for {
		id, r, ok := v.records.First().Next()
		if !ok || id >= RecordID(first) {
			return
		}
		v.records.Delete(edit, id)
		v.size -= int64(len(r.Doc))
	}
}

// Derived is a collection that shows another collection in a different form. Clients cannot write to it.
type Derived struct {
	Name    string
	Options Options
	// Documents creates the documents when they are read.
	Documents func() []bson.Raw
}

// derivation caches what was derived from one state of a collection.
type derivation struct{ from, made *Collection }
