package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

// findID runs a find that only names one document by its _id. Such reads are the most common and need no compiled
// query. ok is false if the command has other options or an error.
func (e *Engine) findID(r *Request, dst []byte) (out []byte, ok bool) {
	name, wanted, ok := r.onlyID()
	if !ok {
		return nil, false
	}
	c := e.snapshot(r).Collection(r.DB, name)
	if c == nil || c.IsView() || len(c.Indexes()) == 0 || c.Indexes()[0].Collation != nil || c.Indexes()[0].Name != idName {
		return nil, false
	}
	rec := c.FindID(wanted)
	c.Indexes()[0].Usage.Note()
	if rec != nil && compare.Values(path.Field(rec.Doc, "_id"), wanted, nil) != 0 {
		return nil, false
	}
	dst, start := bson.AppendDocumentElementStart(dst, "cursor")
	dst, batch := bson.AppendArrayElementStart(dst, "firstBatch")
	if rec != nil {
		dst = bson.AppendArrayIndexHeader(dst, documentType, 0)
		dst = append(dst, rec.Doc...)
	}
	dst = appendReadTime(bson.AppendDocumentEnd(dst, batch), r.ReadTime)
	dst = bson.AppendInt64Element(dst, "id", 0)
	dst = bson.AppendStringElement(dst, "ns", c.Namespace())
	return bson.AppendDocumentEnd(dst, start), true
}

// onlyID returns the collection and the _id of a find that has only these, a limit and generic arguments.
func (r *Request) onlyID() (collection string, id bson.RawValue, ok bool) {
	for key, v := range r.Body.All() {
		switch key {
		case "find":
			if collection != "" {
				return "", id, false
			}
			collection, _ = v.StringOK()
		case "filter":
			filter, _ := v.DocumentOK()
			first, _ := filter.Index(0)
			if first.Key != "_id" || !isPlain(first.Value.Type) || filter.Len() != 1 {
				return "", id, false
			}
			id = first.Value
		case "maxTimeMS":
			if checkMaxTime(v) != nil {
				return "", id, false
			}
		case "limit":
			if n, whole := v.Int32OK(); !whole || n < 0 {
				if n, whole := v.Int64OK(); !whole || n < 0 {
					return "", id, false
				}
			}
		case "singleBatch":
			if v.Type != bsontype.Boolean {
				return "", id, false
			}
		default:
			if !isGeneric(key) || key == "maxTimeMS" && checkMaxTime(v) != nil {
				return "", id, false
			}
		}
	}
	return collection, id, collection != "" && !id.IsZero()
}

// isPlain reports whether a query compares values of a type for plain equality and an _id index orders them.
func isPlain(t bsontype.Type) bool {
	switch t {
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.String, bsontype.ObjectID, bsontype.Binary, bsontype.DateTime:
		return true
	}
	return false
}
