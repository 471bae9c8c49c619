package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// documentMax is the size of the largest document that may be stored, and depthMax its maximum nesting depth.
const (
	documentMax = 16 << 20
	depthMax    = 180
)

// now returns the time that fills in empty timestamps, or an empty one if the command asks to keep them.
func (r *Request) now(tx *store.Txn) bson.Timestamp {
	if value.IsTruthy(r.Body.Lookup("bypassEmptyTsReplacement")) {
		return bson.Timestamp{}
	}
	return tx.Time().BSON()
}

// prepare prepares a document for insertion: it moves _id to the front or makes one, and fills in empty timestamps.
func prepare(doc bson.Raw, version int32, ts bson.Timestamp) (bson.Raw, error) {
	if len(doc) > documentMax {
		code := errcode.BSONObjectTooLarge
		if version < wire.Server80 {
			code = errcode.BadValue
		}
		return nil, status.Errorf(code, "object to insert too large. size in bytes: %d, max size: %d", len(doc), documentMax)
	}
	var given bson.RawValue
	ids, at, rewrite := 0, 0, false
	for key, v := range doc.All() {
		if err := checkField(key, v, version); err != nil {
			return nil, err
		}
		switch {
		case key == "_id":
			given = v
			ids++
			rewrite = rewrite || at > 0
		case v.Type == bsontype.Timestamp && emptyTimestamp(v):
			rewrite = true
		}
		at++
	}
	if ids > 1 {
		return nil, status.Errorf(errcode.BadValue, "can't have multiple _id fields in one document")
	}
	if ids == 1 && !rewrite {
		return append(make(bson.Raw, 0, len(doc)), doc...), nil
	}
	if ids == 0 {
		given = value.ObjectID(bson.NewObjectID())
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(doc)+17))
	dst = bson.AppendRawValueElement(dst, "_id", given)
	for key, v := range doc.All() {
		if key == "_id" {
			continue
		}
		if v.Type == bsontype.Timestamp && emptyTimestamp(v) {
			v = value.Timestamp(ts.T, ts.I)
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// checkField refuses a field that an inserted document cannot have.
func checkField(key string, v bson.RawValue, version int32) error {
	if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array {
		if isDeeper(bson.Raw(v.Value), depthMax-1) {
			return status.Errorf(errcode.Overflow, "cannot insert document because it exceeds %d levels of nesting", depthMax)
		}
	}
	if version < wire.Server50 && strings.HasPrefix(key, "$") {
		return status.Errorf(errcode.BadValue, "Document can't have $ prefixed field names: %s", key)
	}
	if key == "_id" {
		return checkID(v, version)
	}
	return nil
}

// isDeeper reports whether documents are nested more than n levels deep.
func isDeeper(d bson.Raw, n int) bool {
	if n == 0 {
		return true
	}
	for _, v := range d.All() {
		if (v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array) && isDeeper(bson.Raw(v.Value), n-1) {
			return true
		}
	}
	return false
}

func emptyTimestamp(v bson.RawValue) bool {
	t, i, _ := v.TimestampOK()
	return t == 0 && i == 0
}

// checkNoDollars refuses a leading $ in field names below the top of a replacement, as servers before 5.0 do. An insert may
// have them.
func checkNoDollars(v bson.RawValue, depth int) error {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array || depth > 200 {
		return nil
	}
	for key, e := range bson.Raw(v.Value).All() {
		if strings.HasPrefix(key, "$") && key != "$ref" && key != "$id" && key != "$db" {
			return status.Errorf(errcode.DollarPrefixedFieldName,
				"The dollar ($) prefixed field '%s' in '%s' is not valid for storage.", key, key)
		}
		if err := checkNoDollars(e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkID(v bson.RawValue, version int32) error {
	switch v.Type {
	case bsontype.Array, bsontype.Regex, bsontype.Undefined:
		if version < wire.Server50 {
			article := "a"
			if v.Type == bsontype.Array {
				article = "an"
			}
			return status.Errorf(errcode.BadValue, "can't use %s %s for _id", article, v.Type)
		}
		return status.Errorf(errcode.InvalidIdField, "The '_id' value cannot be of type %s", v.Type)
	case bsontype.EmbeddedDocument:
		for key := range bson.Raw(v.Value).All() {
			if strings.HasPrefix(key, "$") && key != "$ref" && key != "$id" && key != "$db" {
				return status.Errorf(errcode.DollarPrefixedFieldName,
					"_id fields may not contain '$'-prefixed fields: %s is not valid for storage.", key)
			}
		}
	}
	return nil
}

// ensureCollection creates a missing collection.
func (e *Engine) ensureCollection(tx *store.Txn, r *Request, db, name string) (*store.Collection, error) {
	c := tx.Collection(db, name)
	if c != nil {
		return c, checkNotView(c)
	}
	if r.Txn != nil && r.WireVersion < wire.Server44 {
		return nil, status.Errorf(errcode.OperationNotSupportedInTransaction,
			"Cannot create namespace %s.%s in multi-document transaction.", db, name)
	}
	if err := checkNew(tx.Snapshot(), r.WireVersion, db, name); err != nil {
		return nil, err
	}
	index, err := idIndex(nil)
	if err != nil {
		return nil, err
	}
	return tx.Create(db, name, store.Options{}, index), nil
}

// checkNotView refuses a view where the command needs a collection.
func checkNotView(c *store.Collection) error {
	if c == nil || !c.IsView() {
		return nil
	}
	return status.Errorf(errcode.CommandNotSupportedOnView, "Namespace %s is a view, not a collection", c.Namespace())
}

// idIndex returns the index on _id, ordered by the collection's collation.
func idIndex(collation bson.Raw) (*store.Index, error) {
	spec, start := bson.AppendDocumentStart(nil)
	spec = bson.AppendInt32Element(spec, "v", 2)
	spec, key := bson.AppendDocumentElementStart(spec, "key")
	spec = bson.AppendInt32Element(spec, "_id", 1)
	spec = bson.AppendDocumentEnd(spec, key)
	spec = bson.AppendStringElement(spec, "name", idName)
	if collation != nil {
		spec = bson.AppendDocumentElement(spec, "collation", collation)
	}
	return newIndexOf(bson.AppendDocumentEnd(spec, start), wire.Server80)
}
