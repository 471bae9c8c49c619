package unified

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

type exists bool

// Exists asserts that a field is there, or is not.
func Exists(there bool) any { return exists(there) }

func (o exists) match(_ matcher, got bson.RawValue, _ bool, path string) error {
	if got.IsZero() == bool(o) {
		return fmt.Errorf("%s: got %s, but it must be there: %v", pathOrWhole(path), textOf(got), bool(o))
	}
	return nil
}

type typed []string

// Type asserts that a value has one of the types, by their names or numbers in the query language.
func Type(names ...string) any { return typed(names) }

func (o typed) match(_ matcher, got bson.RawValue, _ bool, path string) error {
	if got.IsZero() || !slices.ContainsFunc(o, func(name string) bool { return hasType(got.Type, name) }) {
		return fmt.Errorf("%s: got %s, want a value of type %s", pathOrWhole(path), textOf(got), strings.Join(o, " or "))
	}
	return nil
}

// hasType knows the names of types that the query operator $type takes.
func hasType(t bsontype.Type, name string) bool {
	if name == "number" {
		return t == bsontype.Int32 || t == bsontype.Int64 || t == bsontype.Double || t == bsontype.Decimal128
	}
	if want, ok := typeNames[name]; ok {
		return t == want
	}
	return fmt.Sprint(int8(t)) == name || fmt.Sprint(uint8(t)) == name
}

var typeNames = map[string]bsontype.Type{
	"double": bsontype.Double, "string": bsontype.String, "object": bsontype.EmbeddedDocument, "array": bsontype.Array,
	"binData": bsontype.Binary, "undefined": bsontype.Undefined, "objectId": bsontype.ObjectID, "bool": bsontype.Boolean,
	"date": bsontype.DateTime, "null": bsontype.Null, "regex": bsontype.Regex, "dbPointer": bsontype.DBPointer,
	"javascript": bsontype.JavaScript, "symbol": bsontype.Symbol, "javascriptWithScope": bsontype.CodeWithScope,
	"int": bsontype.Int32, "timestamp": bsontype.Timestamp, "long": bsontype.Int64, "decimal": bsontype.Decimal128,
	"minKey": bsontype.MinKey, "maxKey": bsontype.MaxKey,
}

type equals struct{ *Value }

// Equals asserts that a value matches a saved one.
func Equals(v *Value) any { return equals{v} }

func (o equals) match(m matcher, got bson.RawValue, root bool, path string) error {
	var want any
	if err := o.get().Unmarshal(&want); err != nil {
		return err
	}
	return m.match(want, got, root, path)
}

type hexBytes string

// HexBytes asserts that a stream holds these bytes.
func HexBytes(digits string) any { return hexBytes(digits) }

func (o hexBytes) match(_ matcher, got bson.RawValue, _ bool, path string) error {
	text, ok := got.StringOK()
	if !ok {
		return mismatch(path, got, string(o))
	}
	return o.matchText(&text)
}

func (o hexBytes) matchText(got *string) error {
	want, err := hex.DecodeString(string(o))
	if err != nil {
		return err
	}
	if got == nil || *got != string(want) {
		return fmt.Errorf("the bytes differ from %s", string(o))
	}
	return nil
}

type lsidOf struct{ *Session }

// LsidOf asserts that a value is the identifier of a session.
func LsidOf(s *Session) any { return lsidOf{s} }

func (o lsidOf) match(_ matcher, got bson.RawValue, _ bool, path string) error {
	want := rawDocument(o.lsid())
	if text, ok := got.StringOK(); ok { // as an attribute of a span has it
		if id, err := bson.ParseUUID(text); err == nil {
			got = raw(bson.Doc("id", id))
		}
	}
	if !want.Equal(got) {
		return fmt.Errorf("%s: got %s, want the lsid %s", pathOrWhole(path), textOf(got), want)
	}
	return nil
}

type atMost struct{ limit any }

// AtMost asserts that a number is no greater than another.
func AtMost(limit any) any { return atMost{limit} }

func (o atMost) match(_ matcher, got bson.RawValue, _ bool, path string) error {
	limit, _ := raw(o.limit).AsFloat64OK()
	if v, ok := got.AsFloat64OK(); !ok || !isNumeric(got) || v > limit {
		return fmt.Errorf("%s: got %s, want at most %v", pathOrWhole(path), textOf(got), o.limit)
	}
	return nil
}

type unsetOr struct{ want any }

// UnsetOr asserts that a value is not there, or matches.
func UnsetOr(want any) any { return unsetOr{want} }

func (o unsetOr) match(m matcher, got bson.RawValue, root bool, path string) error {
	if got.IsZero() || path == "" && got.Type == bsontype.Null { // an operation that finds nothing returns null
		return nil
	}
	return m.match(o.want, got, root, path)
}

type asDocument struct{ want any }

// AsDocument asserts that a text is extended JSON for a document that matches.
func AsDocument(want any) any { return asDocument{want} }

func (o asDocument) match(m matcher, got bson.RawValue, _ bool, path string) error {
	text, ok := got.StringOK()
	if !ok {
		return mismatch(path, got, "a document as extended JSON")
	}
	doc, err := bson.ExtJSONToRaw([]byte(text), false)
	if err != nil {
		return fmt.Errorf("%s: %w in %s", pathOrWhole(path), err, text)
	}
	return m.match(o.want, rawDocument(doc), false, path)
}

type asRoot struct{ want any }

// AsRoot asserts that a document matches, more fields allowed.
func AsRoot(want any) any { return asRoot{want} }

func (o asRoot) match(m matcher, got bson.RawValue, _ bool, path string) error {
	return m.match(o.want, got, true, path)
}

type subset struct{ want any }

// Subset asserts that a value matches, more fields allowed at every depth: that is how the legacy format of client-side
// encryption compares commands.
func Subset(want any) any { return subset{want} }

func (o subset) match(m matcher, got bson.RawValue, root bool, path string) error {
	m.loose = true
	return m.match(o.want, got, root, path)
}
