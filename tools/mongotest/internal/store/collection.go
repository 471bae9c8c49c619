package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// RecordID numbers the documents of a collection in the order of insertion.
type RecordID int64

// Record is a document at its place. It is never changed: an update makes a new one.
type Record struct {
	ID  RecordID
	Doc bson.Raw
}

// Options are the properties of a collection or a view that storage acts on, and the document that listCollections shows.
type Options struct {
	Capped    bool
	MaxSize   int64
	MaxCount  int64
	ViewOn    string
	Pipeline  bson.RawArray
	Document  bson.Raw // the options of create, as listCollections answers them; nil is {}
	PreImages bool
	Silent    bool // change streams tell of no write
}

// Collection is one state of a collection or view.
type Collection struct {
	DB, Name string
	UUID     bson.UUID
	Options  Options

	provided bool // the server makes it; see Provided

	owner   *tree.Edit
	records tree.Map[RecordID, *Record]
	indexes []*Index
	size    int64
	lastID  RecordID
}

// Namespace is "db.collection".
func (c *Collection) Namespace() string { return c.DB + "." + c.Name }

// Provided reports whether nobody writes to the collection: the server makes it.
func (c *Collection) Provided() bool { return c.provided }

// IsView reports a view, which has no documents of its own.
func (c *Collection) IsView() bool { return c.Options.ViewOn != "" }

// IsProvided reports a collection that the server makes itself.
func (c *Collection) IsProvided() bool { return c.provided }

// Len is the number of documents.
func (c *Collection) Len() int {
	if c == nil {
		return 0
	}
	return c.records.Len()
}

// Size is the number of bytes of all documents.
func (c *Collection) Size() int64 {
	if c == nil {
		return 0
	}
	return c.size
}

// Indexes are the collection's indexes, that on _id first.
func (c *Collection) Indexes() []*Index {
	if c == nil {
		return nil
	}
	return c.indexes
}

// Index finds an index by name, nil when there is none.
func (c *Collection) Index(name string) *Index {
	for _, x := range c.Indexes() {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Get finds a document by its place.
func (c *Collection) Get(id RecordID) (*Record, bool) {
	if c == nil {
		return nil, false
	}
	return c.records.Get(id)
}

// Scan walks the documents with places after from, in the order of insertion.
func (c *Collection) Scan(after RecordID) *Scan {
	if c == nil {
		return &Scan{}
	}
	return &Scan{records: c.records.Ascend(after + 1)}
}

// ScanBack walks all documents against the order of insertion.
func (c *Collection) ScanBack() *Scan {
	if c == nil {
		return &Scan{}
	}
	return &Scan{records: c.records.Last()}
}

// Scan is a walk over documents, in their order or in that of an index.
type Scan struct {
	records *tree.Iterator[RecordID, *Record]
	walk    *walk
}

// Next is the next document; nil at the end.
func (s *Scan) Next() *Record {
	switch {
	case s.walk != nil:
		return s.walk.next()
	case s.records == nil:
		return nil
	}
	_, r, ok := s.records.Next()
	if !ok {
		return nil
	}
	return r
}
