package bson

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func TestAppendElements(t *testing.T) {
	id := ObjectID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	empty := Raw{5, 0, 0, 0, 0}
	tests := map[string]struct {
		got  []byte
		want string
	}{
		"double":     {AppendDoubleElement(nil, "k", 1.5), "016b00000000000000f83f"},
		"string":     {AppendStringElement(nil, "k", "é"), "026b0003000000c3a900"},
		"document":   {AppendDocumentElement(nil, "k", empty), "036b000500000000"},
		"nil doc":    {AppendDocumentElement(nil, "k", nil), "036b000500000000"},
		"array":      {AppendArrayElement(nil, "k", RawArray(empty)), "046b000500000000"},
		"binary":     {AppendBinaryElement(nil, "k", 0x80, []byte{1, 2}), "056b0002000000800102"},
		"old binary": {AppendBinaryElement(nil, "k", 2, []byte{1}), "056b0005000000020100000001"},
		"undefined":  {AppendUndefinedElement(nil, "k"), "066b00"},
		"ObjectID":   {AppendObjectIDElement(nil, "k", id), "076b000102030405060708090a0b0c"},
		"true":       {AppendBooleanElement(nil, "k", true), "086b0001"},
		"false":      {AppendBooleanElement(nil, "k", false), "086b0000"},
		"date":       {AppendDateTimeElement(nil, "k", -1), "096b00ffffffffffffffff"},
		"null":       {AppendNullElement(nil, "k"), "0a6b00"},
		"regex":      {AppendRegexElement(nil, "k", "a.", "xim"), "0b6b00612e00696d7800"},
		"odd regex":  {AppendRegexElement(nil, "k", "", "iäa"), "0b6b000069c3a46100"},
		"DBPointer":  {AppendDBPointerElement(nil, "k", "a", id), "0c6b000200000061000102030405060708090a0b0c"},
		"JavaScript": {AppendJavaScriptElement(nil, "k", "f"), "0d6b00020000006600"},
		"symbol":     {AppendSymbolElement(nil, "k", "f"), "0e6b00020000006600"},
		"scope":      {AppendCodeWithScopeElement(nil, "k", "f", nil), "0f6b000f0000000200000066000500000000"},
		"int":        {AppendInt32Element(nil, "k", -2), "106b00feffffff"},
		"timestamp":  {AppendTimestampElement(nil, "k", 1, 2), "116b000200000001000000"},
		"long":       {AppendInt64Element(nil, "k", 1<<32), "126b000000000001000000"},
		"decimal":    {AppendDecimal128Element(nil, "k", NewDecimal128(1, 2)), "136b0002000000000000000100000000000000"},
		"minKey":     {AppendMinKeyElement(nil, "k"), "ff6b00"},
		"maxKey":     {AppendMaxKeyElement(nil, "k"), "7f6b00"},
		"raw value":  {AppendRawValueElement(nil, "k", RawValue{bsontype.Boolean, []byte{1}}), "086b0001"},
		"no value":   {AppendRawValueElement(nil, "k", RawValue{}), "0a6b00"},
		"index 9":    {AppendArrayIndexHeader(nil, bsontype.Null, 9), "0a3900"},
		"index 10":   {AppendArrayIndexHeader(nil, bsontype.Null, 10), "0a313000"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := hex.EncodeToString(test.got); got != test.want {
				t.Fatalf("got %s, want %s", got, test.want)
			}
			if name == "index 9" || name == "index 10" {
				return
			}
			doc, start := AppendDocumentStart([]byte("before"))
			doc = AppendDocumentEnd(append(doc, test.got...), start)
			if err := Raw(doc[start:]).Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAppendNestedDocuments(t *testing.T) {
	dst, doc := AppendDocumentStart(nil)
	dst, inner := AppendDocumentElementStart(dst, "d")
	dst = AppendInt32Element(dst, "x", 1)
	dst = AppendDocumentEnd(dst, inner)
	dst, list := AppendArrayElementStart(dst, "a")
	dst = append(AppendArrayIndexHeader(dst, bsontype.Boolean, 0), 1)
	dst = AppendDocumentEnd(dst, list)
	dst = AppendDocumentEnd(dst, doc)
	want := mustMarshal(t, Doc("d", Doc("x", int32(1)), "a", A{true}))
	if string(dst) != string(want) {
		t.Errorf("got %x, want %x", dst, want)
	}
}

func TestRawValueReaders(t *testing.T) {
	id := NewObjectID()
	doc := mustMarshal(t, Doc(
		"double", 2.5, "integral", 3.0, "string", "s", "doc", Doc(), "array", A{}, "binary", Binary{2, []byte("x")}, "id", id,
		"bool", true, "date", DateTime(5), "regex", Regex{"p", "i"}, "js", JavaScript("f"), "symbol", Symbol("y"),
		"scope", CodeWithScope{"g", Doc()}, "int", int32(-4), "timestamp", Timestamp{1, 2}, "long", int64(1)<<40,
		"decimal", NewDecimal128(3, 4), "pointer", DBPointer{"db.c", id}, "zero", 0, "huge", 1e300,
		"nothing", mustDecimal(t, "0E+3"),
	))
	at := func(key string) RawValue { return doc.Lookup(key) }
	tests := map[string]struct {
		key  string
		read func(RawValue) (any, bool)
		want any
	}{
		"double":            {"double", func(v RawValue) (any, bool) { return valueAndOK(v.DoubleOK()) }, 2.5},
		"string":            {"string", func(v RawValue) (any, bool) { return valueAndOK(v.StringOK()) }, "s"},
		"ObjectID":          {"id", func(v RawValue) (any, bool) { return valueAndOK(v.ObjectIDOK()) }, id},
		"bool":              {"bool", func(v RawValue) (any, bool) { return valueAndOK(v.BooleanOK()) }, true},
		"date":              {"date", func(v RawValue) (any, bool) { return valueAndOK(v.DateTimeOK()) }, int64(5)},
		"time":              {"date", func(v RawValue) (any, bool) { x, ok := v.TimeOK(); return x.UnixMilli(), ok }, int64(5)},
		"JavaScript":        {"js", func(v RawValue) (any, bool) { return valueAndOK(v.JavaScriptOK()) }, "f"},
		"symbol":            {"symbol", func(v RawValue) (any, bool) { return valueAndOK(v.SymbolOK()) }, "y"},
		"int":               {"int", func(v RawValue) (any, bool) { return valueAndOK(v.Int32OK()) }, int32(-4)},
		"long":              {"long", func(v RawValue) (any, bool) { return valueAndOK(v.Int64OK()) }, int64(1) << 40},
		"decimal":           {"decimal", func(v RawValue) (any, bool) { return valueAndOK(v.Decimal128OK()) }, NewDecimal128(3, 4)},
		"pointer":           {"pointer", func(v RawValue) (any, bool) { return valueAndOK(v.DBPointerOK()) }, DBPointer{"db.c", id}},
		"document":          {"doc", func(v RawValue) (any, bool) { x, ok := v.DocumentOK(); return len(x), ok }, 5},
		"array":             {"array", func(v RawValue) (any, bool) { x, ok := v.ArrayOK(); return len(x), ok }, 5},
		"binary":            {"binary", func(v RawValue) (any, bool) { _, x, ok := v.BinaryOK(); return string(x), ok }, "x"},
		"regex":             {"regex", func(v RawValue) (any, bool) { p, o, ok := v.RegexOK(); return p + o, ok }, "pi"},
		"timestamp":         {"timestamp", func(v RawValue) (any, bool) { x, i, ok := v.TimestampOK(); return Timestamp{x, i}, ok }, Timestamp{1, 2}},
		"code":              {"scope", func(v RawValue) (any, bool) { x, _, ok := v.CodeWithScopeOK(); return x, ok }, "g"},
		"int as int64":      {"int", func(v RawValue) (any, bool) { return valueAndOK(v.AsInt64OK()) }, int64(-4)},
		"long as int64":     {"long", func(v RawValue) (any, bool) { return valueAndOK(v.AsInt64OK()) }, int64(1) << 40},
		"integral as int64": {"integral", func(v RawValue) (any, bool) { return valueAndOK(v.AsInt64OK()) }, int64(3)},
		"fraction as int64": {"double", func(v RawValue) (any, bool) { return valueAndOK(v.AsInt64OK()) }, nil},
		"huge as int64":     {"huge", func(v RawValue) (any, bool) { return valueAndOK(v.AsInt64OK()) }, nil},
		"int as float":      {"int", func(v RawValue) (any, bool) { return valueAndOK(v.AsFloat64OK()) }, -4.0},
		"string as float":   {"string", func(v RawValue) (any, bool) { return valueAndOK(v.AsFloat64OK()) }, nil},
		"bool as bool":      {"bool", func(v RawValue) (any, bool) { return valueAndOK(v.AsBoolOK()) }, true},
		"zero as bool":      {"zero", func(v RawValue) (any, bool) { return valueAndOK(v.AsBoolOK()) }, false},
		"double as bool":    {"double", func(v RawValue) (any, bool) { return valueAndOK(v.AsBoolOK()) }, true},
		"decimal as bool":   {"decimal", func(v RawValue) (any, bool) { return valueAndOK(v.AsBoolOK()) }, true},
		"0E+3 as bool":      {"nothing", func(v RawValue) (any, bool) { return valueAndOK(v.AsBoolOK()) }, false},
		"string as bool":    {"string", func(v RawValue) (any, bool) { return valueAndOK(v.AsBoolOK()) }, nil},
		"string as double":  {"string", func(v RawValue) (any, bool) { return valueAndOK(v.DoubleOK()) }, nil},
		"missing as int":    {"missing", func(v RawValue) (any, bool) { return valueAndOK(v.Int32OK()) }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := test.read(at(test.key))
			if ok != (test.want != nil) || ok && got != test.want {
				t.Errorf("got %v, %v; want %v", got, ok, test.want)
			}
			v := at(test.key)
			if len(v.Value) > 0 {
				v.Value = v.Value[:len(v.Value)-1]
				if got, ok := test.read(v); ok {
					t.Errorf("a value without its last byte is read as %v", got)
				}
			}
		})
	}
}

func valueAndOK[T any](v T, ok bool) (any, bool) { return v, ok }

func TestAppendCheckedIsAppendString(t *testing.T) {
	text := strings.Repeat("abcdefghijk\u00e9", 12)
	for n := range len(text) {
		for _, room := range []int{0, n + 4, 400} {
			s := text[:n]
			prefix := append(make([]byte, 0, 1+room), 7)
			got, valid := wire.AppendChecked(prefix, s)
			if want := wire.AppendString([]byte{7}, s); !bytes.Equal(got, want) || valid != utf8.ValidString(s) {
				t.Fatalf("%q with room for %d: got %x, %t, want %x", s, room, got, valid, want)
			}
		}
	}
}
