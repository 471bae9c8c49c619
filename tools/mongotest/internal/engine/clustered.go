package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// recordID returns the record id that clients see: a number or, in a clustered collection, the key of the _id.
func recordID(c *store.Collection, rec *store.Record) bson.RawValue {
	if !isClustered(c) {
		return value.Int64(int64(rec.ID))
	}
	id := path.Field(rec.Doc, "_id")
	key := compare.AppendKey(nil, id, nil)
	if id.Type == bsontype.ObjectID {
		key = append([]byte{100}, id.Value...)
	}
	d := bson.Raw(bson.AppendDocumentEnd(bson.AppendBinaryElement([]byte{0, 0, 0, 0}, "k", bsontype.BinaryGeneric, key), 0))
	return path.Field(d, "k")
}

// isClustered reports whether a collection's documents are stored, and so read, in order of _id.
func isClustered(c *store.Collection) bool {
	return c != nil && len(c.Indexes()) > 0 && !documentOrEmpty(c.Options.Document).Lookup("clusteredIndex").IsZero()
}
