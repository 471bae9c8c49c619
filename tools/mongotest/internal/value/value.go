package value

import (
	"encoding/binary"
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Null is the BSON null.
var Null = bson.RawValue{Type: bsontype.Null}

var (
	trueValue  = bson.RawValue{Type: bsontype.Boolean, Value: []byte{1}}
	falseValue = bson.RawValue{Type: bsontype.Boolean, Value: []byte{0}}
)

// EmptyDocument holds the bytes of {}.
var EmptyDocument = bson.EmptyDocument()

// Bool makes a boolean.
func Bool(b bool) bson.RawValue {
	if b {
		return trueValue
	}
	return falseValue
}

// Int32 makes a 32-bit integer.
func Int32(n int32) bson.RawValue {
	return bson.RawValue{Type: bsontype.Int32, Value: binary.LittleEndian.AppendUint32(nil, uint32(n))}
}

// Int64 makes a 64-bit integer.
func Int64(n int64) bson.RawValue {
	return bson.RawValue{Type: bsontype.Int64, Value: binary.LittleEndian.AppendUint64(nil, uint64(n))}
}

// Integer makes an int or a long, whichever is the smallest that holds n. The server does so for results of
// expressions.
func Integer(n int64) bson.RawValue {
	if n == int64(int32(n)) {
		return Int32(int32(n))
	}
	return Int64(n)
}

// Double makes a double.
func Double(f float64) bson.RawValue {
	return bson.RawValue{Type: bsontype.Double, Value: binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))}
}

// DateTime makes a date from milliseconds since the epoch.
func DateTime(ms int64) bson.RawValue {
	return bson.RawValue{Type: bsontype.DateTime, Value: binary.LittleEndian.AppendUint64(nil, uint64(ms))}
}

// Timestamp makes a timestamp from seconds and ordinal.
func Timestamp(t, i uint32) bson.RawValue {
	return bson.RawValue{Type: bsontype.Timestamp, Value: binary.LittleEndian.AppendUint64(nil, uint64(t)<<32|uint64(i))}
}

// ObjectID makes an ObjectId.
func ObjectID(id bson.ObjectID) bson.RawValue {
	return bson.RawValue{Type: bsontype.ObjectID, Value: append([]byte(nil), id[:]...)}
}

// String makes a string.
func String(s string) bson.RawValue {
	return bson.RawValue{Type: bsontype.String, Value: appendString(nil, s)}
}

func appendString(dst []byte, s string) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)+1))
	dst = append(dst, s...)
	return append(dst, 0)
}

// Binary makes a binary value.
func Binary(subtype byte, data []byte) bson.RawValue {
	d := bson.AppendBinaryElement(nil, "", subtype, data)
	return bson.RawValue{Type: bsontype.Binary, Value: d[2:]}
}

// Regex makes a regular expression.
func Regex(pattern, options string) bson.RawValue {
	d := bson.AppendRegexElement(nil, "", pattern, options)
	return bson.RawValue{Type: bsontype.Regex, Value: d[2:]}
}

// Document makes a value from a document's bytes. It keeps them without a copy.
func Document(d bson.Raw) bson.RawValue {
	return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: d}
}

// Array makes a value from an array's bytes. It keeps them without a copy.
func Array(a bson.RawArray) bson.RawValue {
	return bson.RawValue{Type: bsontype.Array, Value: a}
}

// ArrayOf makes an array of values. A missing value becomes null.
func ArrayOf(values ...bson.RawValue) bson.RawValue {
	size := 5
	for _, v := range values {
		size += len(v.Value) + 6
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, size))
	for i, v := range values {
		dst = AppendIndexed(dst, i, v)
	}
	return bson.RawValue{Type: bsontype.Array, Value: bson.AppendDocumentEnd(dst, start)}
}

// AppendIndexed appends one array element; a missing value becomes null.
func AppendIndexed(dst []byte, i int, v bson.RawValue) []byte {
	if v.IsZero() {
		v = Null
	}
	dst = bson.AppendArrayIndexHeader(dst, v.Type, i)
	return append(dst, v.Value...)
}

// Elements returns the values of an array or a document in order, or nil for any other value.
func Elements(v bson.RawValue) []bson.RawValue {
	if v.Type != bsontype.Array && v.Type != bsontype.EmbeddedDocument {
		return nil
	}
	var out []bson.RawValue
	for _, e := range bson.Raw(v.Value).All() {
		out = append(out, e)
	}
	return out
}

// Text returns the text of a string value, and "" for any other type.
func Text(v bson.RawValue) string {
	s, _ := v.StringOK()
	return s
}

// IsTruthy returns the boolean that an expression sees. Null, missing, undefined, false and zero are false.
func IsTruthy(v bson.RawValue) bool {
	switch v.Type {
	case 0, bsontype.Null, bsontype.Undefined:
		return false
	case bsontype.Boolean, bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
		b, _ := v.AsBoolOK()
		return b
	}
	return true
}

// IsNullish reports whether v is missing, null or undefined.
func IsNullish(v bson.RawValue) bool {
	return v.IsZero() || v.Type == bsontype.Null || v.Type == bsontype.Undefined
}

// TypeName returns the type's alias, or "missing" for the zero value.
func TypeName(v bson.RawValue) string {
	if v.IsZero() {
		return "missing"
	}
	return v.Type.String()
}

// Clone copies the value's bytes.
func Clone(v bson.RawValue) bson.RawValue {
	return bson.RawValue{Type: v.Type, Value: append([]byte(nil), v.Value...)}
}
