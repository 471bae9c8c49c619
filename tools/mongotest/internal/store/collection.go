package store

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// Options are the properties of a collection or view that affect storage, and the document that listCollections
// returns.
type Options struct {
	Capped    bool
	MaxSize   int64
	MaxCount  int64
	ViewOn    string
	Pipeline  bson.RawArray
	Document  bson.Raw // the options of create, as listCollections returns them; nil is {}
	PreImages bool
	Silent    bool        // change streams do not report its writes
	ShardKey  []path.Path // nil unless the collection is sharded
}

// Collection is one immutable state of a collection or view.
type Collection struct {
	DB, Name string
	UUID     bson.UUID
	Options  Options

	provided bool // the server creates it; see Provided

	owner   *tree.Edit
	records tree.Map[RecordID, *Record]
	indexes []*Index
	size    int64
	lastID  RecordID
}

// Namespace is "db.collection".
func (c *Collection) Namespace() string { return c.DB + "." + c.Name }

// IsView reports whether it is a view, which has no documents of its own.
func (c *Collection) IsView() bool { return c.Options.ViewOn != "" }

// IsProvided reports whether the server creates the collection and no client can write to it.
func (c *Collection) IsProvided() bool { return c.provided }

// Len returns the number of documents.
func (c *Collection) Len() int {
	if c == nil {
		return 0
	}
	return c.records.Len()
}

// Size returns the total size of the documents in bytes.
func (c *Collection) Size() int64 {
	if c == nil {
		return 0
	}
	return c.size
}

// Indexes returns the indexes. The index on _id comes first.
func (c *Collection) Indexes() []*Index {
	if c == nil {
		return nil
	}
	return c.indexes
}

// Index finds an index by name. It returns nil if there is none.
func (c *Collection) Index(name string) *Index {
	for _, x := range c.Indexes() {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Get finds a document by its RecordID.
func (c *Collection) Get(id RecordID) (*Record, bool) {
	if c == nil {
		return nil, false
	}
	return c.records.Get(id)
}
