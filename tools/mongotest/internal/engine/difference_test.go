package engine_test

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// patch applies a difference of the oplog to the document before.
func patch(before, diff bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range before.All() {
		if _, gone := diff.Lookup("d", key).BooleanOK(); gone {
			continue
		}
		if now := diff.Lookup("u", key); !now.IsZero() {
			v = now
		} else if in, ok := diff.Lookup("s" + key).DocumentOK(); ok {
			v = patchValue(v, in)
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	added, _ := diff.Lookup("i").DocumentOK()
	for key, v := range added.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func patchValue(v bson.RawValue, diff bson.Raw) bson.RawValue {
	if v.Type != bsontype.Array {
		return value.Document(patch(bson.Raw(v.Value), diff))
	}
	list := value.Elements(v)
	if n, ok := diff.Lookup("l").AsInt64OK(); ok {
		list = list[:n]
	}
	for key, now := range diff.All() {
		if key == "a" || key == "l" {
			continue
		}
		i, _ := strconv.Atoi(key[1:])
		for len(list) <= i {
			list = append(list, value.Null)
		}
		if key[0] == 'u' {
			list[i] = now
		} else {
			list[i] = patchValue(list[i], bson.Raw(now.Value))
		}
	}
	return value.ArrayOf(list...)
}
