package expr

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var objects = map[string]function{
	"$mergeObjects":  {0, -1, mergeObjects},
	"$objectToArray": {1, 1, objectToArray},
	"$arrayToObject": {1, 1, arrayToObject},
	"$bsonSize":      {1, 1, bsonSize},
	"$binarySize":    {1, 1, binarySize},
}

// Merge combines the fields of documents. Later fields win.
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
		case value.IsNullish(v):
		case v.Type != bsontype.EmbeddedDocument:
			return missing, status.Errorf(40400, "$mergeObjects requires object inputs, but input %s is of type %s",
				status.TextOf(v), v.Type)
		default:
			docs = append(docs, v)
		}
	}
	return Merge(docs), nil
}

func objectToArray(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	v := args[0]
	switch {
	case value.IsNullish(v):
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
	case value.IsNullish(v):
		return value.Null, nil
	case v.Type != bsontype.Array:
		return missing, status.Errorf(40386, "$arrayToObject requires an array input, found: %s", v.Type)
	}
	var docs []bson.RawValue
	read := pairOfArray
	for i, e := range value.Elements(v) {
		switch {
		case i > 0 || e.Type == bsontype.Array:
		case e.Type == bsontype.EmbeddedDocument:
			read = pairOfDocument
		default:
			return missing, status.Errorf(40398, "Unrecognised input type format for $arrayToObject: %s", e.Type)
		}
		key, val, err := read(e)
		if err != nil {
			return missing, err
		}
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendRawValueElement(d, key, val)
		docs = append(docs, value.Document(bson.AppendDocumentEnd(d, start)))
	}
	return Merge(docs), nil
}

// pairOfArray reads [key, value].
func pairOfArray(e bson.RawValue) (key string, v bson.RawValue, err error) {
	pair := value.Elements(e)
	switch {
	case e.Type != bsontype.Array:
		err = status.Errorf(40396,
			"$arrayToObject requires a consistent input format. Elements mustall be arrays or all be objects. Array was "+
				"detected, now found: %s", e.Type)
	case len(pair) != 2:
		err = status.Errorf(40397, "$arrayToObject requires an array of size 2 arrays,found array of size: %d", len(pair))
	case pair[0].Type != bsontype.String:
		err = status.Errorf(40395,
			"$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: %s", pair[0].Type)
	case strings.Contains(value.Text(pair[0]), "\x00"):
		err = status.Errorf(4940400, "Key field cannot contain an embedded null byte")
	default:
		return value.Text(pair[0]), pair[1], nil
	}
	return "", missing, err
}

// pairOfDocument reads {k: key, v: value}.
func pairOfDocument(e bson.RawValue) (key string, v bson.RawValue, err error) {
	d, ok := e.DocumentOK()
	k := path.Field(d, "k")
	v = path.Field(d, "v")
	switch {
	case !ok:
		err = status.Errorf(40391,
			"$arrayToObject requires a consistent input format. Elements mustall be arrays or all be objects. Object was "+
				"detected, now found: %s", e.Type)
	case d.Len() != 2:
		err = status.Errorf(40392, "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:%d", d.Len())
	case k.IsZero() || v.IsZero():
		err = status.Errorf(40393,
			"$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys from: %s", status.TextOf(e))
	case k.Type != bsontype.String:
		err = status.Errorf(40394,
			"$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: %s",
			k.Type)
	case strings.Contains(value.Text(k), "\x00"):
		err = status.Errorf(4940401, "Key field cannot contain an embedded null byte")
	}
	return value.Text(k), v, err
}

func bsonSize(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	v := args[0]
	switch {
	case value.IsNullish(v):
		return value.Null, nil
	case v.Type != bsontype.EmbeddedDocument:
		return missing, status.Errorf(31393, "$bsonSize requires a document input, found: %s", v.Type)
	}
	return value.Int32(int32(len(v.Value))), nil
}

func binarySize(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	switch v := args[0]; v.Type {
	case 0, bsontype.Null, bsontype.Undefined:
		return value.Null, nil
	case bsontype.String:
		return value.Int32(int32(len(value.Text(v)))), nil
	case bsontype.Binary:
		_, data, _ := v.BinaryOK()
		return value.Int32(int32(len(data))), nil
	default:
		return missing, status.Errorf(51276, "$binarySize requires a string or BinData argument, found: %s", v.Type)
	}
}
