package expr

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var objects = map[string]function{
	"$mergeObjects":  {0, -1, mergeObjects},
	"$objectToArray": {1, 1, objectToArray},
	"$arrayToObject": {1, 1, arrayToObject},
	"$bsonSize":      {1, 1, bsonSize},
}

// Merge puts the fields of documents together; later ones win.
func Merge(docs []bson.RawValue) bson.RawValue {
	var keys []string
	fields := map[string]bson.RawValue{}
	for _, d := range docs {
		for key, v := range bson.Raw(d.Value).All() {
			if _, known := fields[key]; !known {
				keys = append(keys, key)
			}
			fields[key] = v
		}
	}
	dst, start := bson.AppendDocumentStart(nil)
	for _, key := range keys {
		dst = bson.AppendRawValueElement(dst, key, fields[key])
	}
	return value.Document(bson.AppendDocumentEnd(dst, start))
}

func mergeObjects(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	if len(args) == 1 && args[0].Type == bsontype.Array {
		args = value.Elements(args[0])
	}
	var docs []bson.RawValue
	for _, v := range args {
		switch {
		case value.Nullish(v):
		case v.Type != bsontype.EmbeddedDocument:
			return missing, status.Errorf(40400, "$mergeObjects requires object inputs, but input %s is of type %s", status.TextOf(v), v.Type)
		default:
			docs = append(docs, v)
		}
	}
	return Merge(docs), nil
}

func objectToArray(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	v := args[0]
	switch {
	case value.Nullish(v):
		return value.Null, nil
	case v.Type != bsontype.EmbeddedDocument:
		return missing, status.Errorf(40390, "$objectToArray requires a document input, found: %s", v.Type)
	}
	var out []bson.RawValue
	for key, e := range bson.Raw(v.Value).All() {
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendStringElement(d, "k", key)
		d = bson.AppendRawValueElement(d, "v", e)
		out = append(out, value.Document(bson.AppendDocumentEnd(d, start)))
	}
	return value.ArrayOf(out...), nil
}

func arrayToObject(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	v := args[0]
	switch {
	case value.Nullish(v):
		return value.Null, nil
	case v.Type != bsontype.Array:
		return missing, status.Errorf(40386, "$arrayToObject requires an array input, found: %s", v.Type)
	}
	var docs []bson.RawValue
	for _, e := range value.Elements(v) {
		var k, val bson.RawValue
		switch e.Type {
		case bsontype.EmbeddedDocument:
			k, val = path.Field(bson.Raw(e.Value), "k"), path.Field(bson.Raw(e.Value), "v")
		case bsontype.Array:
			if pair := value.Elements(e); len(pair) == 2 {
				k, val = pair[0], pair[1]
			}
		}
		key, ok := k.StringOK()
		if !ok || val.IsZero() || strings.ContainsRune(key, 0) {
			return missing, status.Errorf(40391, "$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: %s", value.TypeName(k))
		}
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendRawValueElement(d, key, val)
		docs = append(docs, value.Document(bson.AppendDocumentEnd(d, start)))
	}
	return Merge(docs), nil
}

func bsonSize(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	v := args[0]
	switch {
	case value.Nullish(v):
		return value.Null, nil
	case v.Type != bsontype.EmbeddedDocument:
		return missing, status.Errorf(31393, "$bsonSize requires a document input, found: %s", v.Type)
	}
	return value.Int32(int32(len(v.Value))), nil
}
