package store

import (
	"encoding/hex"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// duplicateInfoBytes is what the fields of an error take for a short key.
const duplicateInfoBytes = 96

// errDuplicate returns the error of a unique index, in the words of the server.
func (x *Index) errDuplicate(c *Collection, doc bson.Raw, key string) error {
	values := x.valuesOf(doc, key)
	// A batch may have a hundred thousand of these.
	info, start := bson.AppendDocumentStart(make([]byte, 0, duplicateInfoBytes))
	info = bson.AppendDocumentElement(info, "keyPattern", x.KeyPattern())
	info, inner := bson.AppendDocumentElementStart(info, "keyValue")
	for i, f := range x.Fields {
		info = bson.AppendRawValueElement(info, f.Name, values[i])
	}
	info = bson.AppendDocumentEnd(info, inner)
	keyValue := bson.Raw(info[inner:])
	collation := ""
	if x.Collation != nil {
		collation = " collation: " + status.Text(x.Collation.Spec())
		info = bson.AppendDocumentElement(info, "collation", x.Collation.Spec())
		keyValue = x.collatedKey(keyValue)
	}
	e := &status.Error{Code: errcode.DuplicateKey, Message: "E11000 duplicate key error collection: " + c.Namespace() +
		" index: " + x.Name + collation + " dup key: " + status.Text(keyValue)}
	e.Info = bson.AppendDocumentEnd(info, start)
	return e
}

// collatedKey returns a key as messages show it under a collation: the sort key replaces each string.
func (x *Index) collatedKey(key bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for name, v := range key.All() {
		if s, ok := v.StringOK(); ok {
			v = value.String("0x" + hex.EncodeToString(x.Collation.AppendKey(nil, s)))
		}
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// valuesOf returns the values that make up one of the document's keys.
func (x *Index) valuesOf(doc bson.Raw, key string) []bson.RawValue {
	found := make([]bson.RawValue, len(x.Fields))
	if x.isID() {
		return []bson.RawValue{path.Field(doc, "_id")}
	}
	_, _ = path.Keys(doc, x.paths, func(values []bson.RawValue) {
		if k, _ := x.encode(values); k == key {
			copy(found, values)
		}
	})
	for i := range found {
		if found[i].IsZero() {
			found[i] = value.Null
		}
	}
	return found
}
