package main

import (
	"go/ast"
	"strings"
)

// What bsoncore reads off the front of some bytes.

const cutValueSource = `
// cutValue cuts the bytes of a value of the type t off the front of src.
func cutValue(src []byte, t bsontype.Type) (v bson.RawValue, rest []byte, ok bool) {
	length := 0
	if len(src) >= 4 {
		length = int(int32(binary.LittleEndian.Uint32(src)))
	}
	size := 0
	switch t {
	case bsontype.Boolean:
		size = 1
	case bsontype.Int32:
		size = 4
	case bsontype.Int64, bsontype.Double, bsontype.DateTime, bsontype.Timestamp:
		size = 8
	case bsontype.ObjectID:
		size = 12
	case bsontype.Decimal128:
		size = 16
	case bsontype.String, bsontype.JavaScript, bsontype.Symbol:
		size = 4 + length
	case bsontype.Binary:
		size = 5 + length
	case bsontype.EmbeddedDocument, bsontype.Array, bsontype.CodeWithScope:
		size = length
	case bsontype.DBPointer:
		size = 16 + length
	case bsontype.Regex:
		if _, options, found := bytes.Cut(src, []byte{0}); found {
			size = len(src) - len(options) + bytes.IndexByte(options, 0) + 1
		}
	}
	if size < 0 || size > len(src) || length < 0 {
		return v, src, false
	}
	v = bson.RawValue{Type: t, Value: src[:size:size]}
	return v, src[size:], v.Validate() == nil
}
`

const readAsSource = `
// readAs reads a value of the type t off the front of src.
func readAs[T any](src []byte, t bsontype.Type, as func(bson.RawValue) (T, bool)) (value T, rest []byte, ok bool) {
	v, rest, ok := cutValue(src, t)
	if !ok {
		return value, src, false
	}
	value, ok = as(v)
	return value, rest, ok
}
`

const readPartsSource = `
// readParts reads a value of the type t that has two parts off the front of src.
func readParts[A, B any](src []byte, t bsontype.Type, as func(bson.RawValue) (A, B, bool)) (a A, b B, rest []byte, ok bool) {
	v, rest, ok := cutValue(src, t)
	if !ok {
		return a, b, src, false
	}
	a, b, ok = as(v)
	return a, b, rest, ok
}
`

// coreReads are the functions that read one value, with its type and the method that gives it.
var coreReads = map[string][2]string{
	"ReadDouble": {"Double", "DoubleOK"}, "ReadString": {"String", "StringOK"}, "ReadDocument": {"EmbeddedDocument", "DocumentOK"},
	"ReadArray": {"Array", "ArrayOK"}, "ReadObjectID": {"ObjectID", "ObjectIDOK"}, "ReadBoolean": {"Boolean", "BooleanOK"},
	"ReadDateTime": {"DateTime", "DateTimeOK"}, "ReadTime": {"DateTime", "TimeOK"}, "ReadJavaScript": {"JavaScript", "JavaScriptOK"},
	"ReadSymbol": {"Symbol", "SymbolOK"}, "ReadInt32": {"Int32", "Int32OK"}, "ReadInt64": {"Int64", "Int64OK"},
	"ReadDecimal128": {"Decimal128", "Decimal128OK"},
	"ReadBinary":     {"Binary", "BinaryOK"}, "ReadRegex": {"Regex", "RegexOK"}, "ReadTimestamp": {"Timestamp", "TimestampOK"},
	"ReadCodeWithScope": {"CodeWithScope", "CodeWithScopeOK"},
}

// readsInParts are those whose value has two parts.
var readsInParts = map[string]bool{"ReadBinary": true, "ReadRegex": true, "ReadTimestamp": true, "ReadCodeWithScope": true}

// rewriteCoreRead rewrites one of these functions.
func (f *file) rewriteCoreRead(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	o := f.objectOf(s.Sel)
	if o == nil || !strings.HasSuffix(o.Pkg().Path(), "/"+corePackage) { // package bson has a ReadDocument of its own
		ruleForHelper("readDocumentFrom")(f, n)
		return
	}
	helper := "readAs"
	if readsInParts[s.Sel.Name] {
		helper = "readParts"
	}
	read := coreReads[s.Sel.Name]
	f.replace(n, f.useHelper(helper)+"("+f.text(n.Args[0])+", "+f.qualify("bsontype."+read[0])+", "+
		f.qualify("bson.RawValue")+"."+read[1]+")")
}

// rewriteCoreReadValue rewrites bsoncore.ReadValue, which is the helper.
func (f *file) rewriteCoreReadValue(n *ast.CallExpr) { f.replace(n.Fun, f.useHelper("cutValue")) }

const asInt64Source = `
// asInt64 returns a number as an int64, without its fraction.
func asInt64(v bson.RawValue) (int64, bool) {
	if d, ok := v.DoubleOK(); ok {
		return int64(d), true
	}
	return v.AsInt64OK()
}
`

// rewriteAsInt64 rewrites AsInt64 and AsInt64OK, which cut off a fraction in the official driver and refuse one here.
func (f *file) rewriteAsInt64(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	text := f.useHelper("asInt64") + "(" + f.receivedValue(s) + ")"
	if s.Sel.Name == "AsInt64" {
		text = f.qualify("bson.Must") + "(" + text + ")"
	}
	f.replace(n, text)
}
