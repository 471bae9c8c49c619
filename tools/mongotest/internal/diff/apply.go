package diff

import (
	"slices"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// indexMax bounds the positions of an array that a difference may set, because the array grows up to them.
const indexMax = 1_500_000

// Apply returns a document with a difference applied. ok is false if the difference does not fit the document.
func Apply(before, diff bson.Raw) (after bson.Raw, ok bool) {
	gone, _ := diff.Lookup("d").DocumentOK()
	updated, _ := diff.Lookup("u").DocumentOK()
	inserted, _ := diff.Lookup("i").DocumentOK()
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range before.All() {
		in, isChanged := diff.Lookup("s" + key).DocumentOK()
		switch now := updated.Lookup(key); {
		case !gone.Lookup(key).IsZero(), !inserted.Lookup(key).IsZero():
			continue
		case !now.IsZero():
			v = now
		case isChanged:
			if v, ok = applyValue(v, in); !ok {
				return nil, false
			}
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	for key, v := range updated.All() {
		if before.Lookup(key).IsZero() {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	for key, v := range inserted.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start), true
}

func applyValue(v bson.RawValue, diff bson.Raw) (bson.RawValue, bool) {
	isArray, _ := diff.Lookup("a").BooleanOK()
	switch {
	case isArray && v.Type == bsontype.Array:
		return applyArray(value.Elements(v), diff)
	case !isArray && v.Type == bsontype.EmbeddedDocument:
		d, ok := Apply(bson.Raw(v.Value), diff)
		return value.Document(d), ok
	}
	return v, false
}

func applyArray(list []bson.RawValue, diff bson.Raw) (bson.RawValue, bool) {
	list = slices.Clone(list)
	for key, now := range diff.All() {
		if key == "a" {
			continue
		}
		n, isLength := now.AsInt64OK()
		if key == "l" && isLength && n >= 0 && n < indexMax {
			list = resize(list, int(n))
			continue
		}
		if key == "" {
			return value.Null, false
		}
		i, err := strconv.Atoi(key[1:])
		if err != nil || i < 0 || i > indexMax {
			return value.Null, false
		}
		list = resize(list, max(len(list), i+1))
		in, isDocument := now.DocumentOK()
		switch {
		case key[0] == 'u':
			list[i] = now
		case key[0] != 's' || !isDocument:
			return value.Null, false
		default:
			changed, ok := applyValue(list[i], in)
			if !ok {
				return value.Null, false
			}
			list[i] = changed
		}
	}
	return value.ArrayOf(list...), true
}

// resize returns a list cut off, or filled with null.
func resize(list []bson.RawValue, n int) []bson.RawValue {
	for len(list) < n {
		list = append(list, value.Null)
	}
	return list[:n]
}
