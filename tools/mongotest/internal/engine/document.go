package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func documentOrEmpty(d bson.Raw) bson.Raw {
	if d == nil {
		return value.EmptyDocument
	}
	return d
}

func sameKey(a, b bson.Raw) bool { return compare.Documents(a, b, nil) == 0 }

func sameNames(a, b bson.Raw) bool {
	names := make([]string, 0, 2)
	for name := range a.All() {
		names = append(names, name)
	}
	i := 0
	for name := range b.All() {
		if i >= len(names) || names[i] != name {
			return false
		}
		i++
	}
	return i == len(names)
}

const documentType = bsontype.EmbeddedDocument

func setField(d bson.Raw, name string, v bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	done := false
	for key, old := range d.All() {
		if key == name {
			old, done = v, true
		}
		dst = bson.AppendRawValueElement(dst, key, old)
	}
	if !done {
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func dropField(d bson.Raw, name string) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range d.All() {
		if key != name {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

func newSingleField(name string, v bson.RawValue) bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, name, v)
	return bson.AppendDocumentEnd(d, start)
}
