package status

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Text prints a document as the server does inside its messages: { _id: 1, name: "x" }.
func Text(d bson.Raw) string {
	return string(appendElements(nil, d, '{', '}', true))
}

// TextOf prints a value as the server does inside its messages.
func TextOf(v bson.RawValue) string {
	return string(appendText(nil, v))
}

func appendElements(dst []byte, d bson.Raw, open, shut byte, named bool) []byte {
	dst = append(dst, open)
	first := true
	for key, v := range d.All() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, ' ')
		if named {
			dst = append(append(dst, key...), ": "...)
		}
		dst = appendText(dst, v)
	}
	if !first {
		dst = append(dst, ' ')
	}
	return append(dst, shut)
}

func appendText(dst []byte, v bson.RawValue) []byte {
	switch v.Type {
	case bsontype.EmbeddedDocument:
		return appendElements(dst, bson.Raw(v.Value), '{', '}', true)
	case bsontype.Array:
		return appendElements(dst, bson.Raw(v.Value), '[', ']', false)
	case bsontype.String:
		s, _ := v.StringOK()
		return append(append(append(dst, '"'), s...), '"')
	case bsontype.Symbol:
		s, _ := v.SymbolOK()
		return append(append(append(dst, '"'), s...), '"')
	case bsontype.Int32, bsontype.Int64:
		n, _ := v.AsInt64OK()
		return strconv.AppendInt(dst, n, 10)
	case bsontype.Double:
		f, _ := v.DoubleOK()
		return append(dst, Double(f)...)
	case bsontype.Decimal128:
		d, _ := v.Decimal128OK()
		return append(dst, d.String()...)
	case bsontype.Boolean:
		b, _ := v.BooleanOK()
		return strconv.AppendBool(dst, b)
	}
	return append(dst, rareText(v)...)
}

func rareText(v bson.RawValue) string {
	switch v.Type {
	case bsontype.ObjectID:
		return "ObjectId('" + hex.EncodeToString(v.Value) + "')"
	case bsontype.DateTime:
		n, _ := v.DateTimeOK()
		return "new Date(" + strconv.FormatInt(n, 10) + ")"
	case bsontype.Timestamp:
		t, i, _ := v.TimestampOK()
		return "Timestamp(" + strconv.FormatUint(uint64(t), 10) + ", " + strconv.FormatUint(uint64(i), 10) + ")"
	case bsontype.Regex:
		pattern, options, _ := v.RegexOK()
		return "/" + pattern + "/" + options
	case bsontype.Binary:
		subtype, data, _ := v.BinaryOK()
		return "BinData(" + strconv.Itoa(int(subtype)) + ", " + strings.ToUpper(hex.EncodeToString(data)) + ")"
	case bsontype.Null:
		return "null"
	case bsontype.Undefined:
		return "undefined"
	case bsontype.MinKey:
		return "MinKey"
	case bsontype.MaxKey:
		return "MaxKey"
	case bsontype.JavaScript:
		s, _ := v.JavaScriptOK()
		return s
	case bsontype.CodeWithScope:
		code, scope, _ := v.CodeWithScopeOK()
		return "CodeWScope( " + code + ", " + Text(scope) + ")"
	case bsontype.DBPointer:
		p, _ := v.DBPointerOK()
		return "DBRef('" + p.DB + "'," + p.Pointer.Hex() + ")"
	case 0:
		return "EOO"
	}
	return v.Type.String()
}

// Double prints a double so that it cannot be taken for an integer.
func Double(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan.0"
	case math.IsInf(f, 1):
		return "inf.0"
	case math.IsInf(f, -1):
		return "-inf.0"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
