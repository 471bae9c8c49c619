package bson

import (
	"encoding"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// counted is a string that encodes as a number.
type counted string

func (c counted) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	return bsontype.Int32, wire.AppendInt32(dst, int32(len(c))), nil
}

func (c *counted) DecodeBSONValue(v RawValue) error {
	n, _ := v.Int32OK()
	*c = counted(strings.Repeat("x", int(n)))
	return nil
}

// neverAskedForText has UnmarshalText, which is never called: a string is encoded as it is.
type neverAskedForText string

func (l *neverAskedForText) UnmarshalText(text []byte) error {
	*l = neverAskedForText(strings.ToUpper(string(text)))
	return nil
}

// These types have no exported field. Their names say which methods they have.
type (
	bare         struct{ s string }
	bytesOnly    struct{ s string }
	textAndBytes struct{ s string }
	adder        struct{ add func([]byte) []byte }
	nullValue    struct{}
)

func (b bytesOnly) MarshalBinary() ([]byte, error) { return []byte(b.s), nil }
func (b *bytesOnly) UnmarshalBinary(data []byte) error {
	b.s = string(data)
	return nil
}
func (b textAndBytes) MarshalText() ([]byte, error) { return []byte(b.s), nil }
func (b *textAndBytes) UnmarshalText(text []byte) error {
	b.s = "text " + string(text)
	return nil
}
func (b *textAndBytes) UnmarshalBinary(data []byte) error {
	b.s = "bytes " + string(data)
	return nil
}
func (a adder) AppendText(dst []byte) ([]byte, error)                 { return a.add(dst), nil }
func (nullValue) MarshalBSONValue() (byte, []byte, error)             { return byte(bsontype.Null), nil, nil }
func (nullValue) UnmarshalBSONValue(byte, []byte) error               { return errNotDecodable }
func (exportedField) UnmarshalBinary([]byte) error                    { return errNotDecodable }
func (appendedNull) AppendBSONValue(dst []byte) (Type, []byte, error) { return bsontype.Null, dst, nil }

// exportedField is a document, because it has an exported field.
type exportedField struct{ N int32 }

type appendedNull struct{ N int32 }

var errNotDecodable = errors.New("nothing is decoded")

// A type's methods decide before its kind does, in fields and lists too.
func TestMethodsComeBeforeTheKind(t *testing.T) {
	type all struct {
		C counted
		P *counted
		S []counted
		M map[string]counted
		L neverAskedForText
		O exportedField
	}
	three := counted("abc")
	raw := mustMarshal(t, all{C: "ab", P: &three, S: []counted{"a"}, M: map[string]counted{"k": "abcd"}, L: "quiet", O: exportedField{5}})
	if got := raw.String(); got != `{"c":2,"p":3,"s":[1],"m":{"k":4},"l":"quiet","o":{"n":5}}` {
		t.Error(got)
	}
	var got all
	want := all{C: "xx", S: []counted{"x"}, M: map[string]counted{"k": "xxxx"}, L: "quiet", O: exportedField{5}}
	three = "xxx"
	want.P = &three
	if err := Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, v := range map[string]any{"a value": nullValue{}, "an appended value": appendedNull{}} {
		if raw := mustMarshal(t, Doc("v", v)); !raw.Lookup("v").IsNull() {
			t.Errorf("%s of no bytes is %v", name, raw)
		}
	}
}

// A type without exported fields decodes what its methods accept, and its zero value from an empty document.
func TestTypesWithoutFieldsDecodeThroughTheirMethods(t *testing.T) {
	binary, other := Binary{Data: []byte("b")}, Binary{Subtype: bsontype.BinaryMD5, Data: []byte("b")}
	for _, tt := range []struct {
		value, into, want any // nil: refused
	}{
		{binary, &bare{}, nil}, {"s", &bare{}, nil}, {D{}, &bare{"was"}, &bare{"was"}},
		{binary, &bytesOnly{}, &bytesOnly{"b"}}, {other, &bytesOnly{}, nil}, {"s", &bytesOnly{}, nil}, {1, &bytesOnly{}, nil}, {D{}, &bytesOnly{"was"}, &bytesOnly{}},
		{binary, &textAndBytes{}, &textAndBytes{"bytes b"}}, {"s", &textAndBytes{}, &textAndBytes{"text s"}}, {true, &textAndBytes{}, nil}, {D{}, &textAndBytes{"was"}, &textAndBytes{}},
		{binary, &exportedField{}, nil}, {"s", &exportedField{}, nil}, {D{}, &exportedField{7}, &exportedField{7}}, {Doc("n", 1), &exportedField{}, &exportedField{1}},
	} {
		err := mustMarshal(t, Doc("v", tt.value)).Lookup("v").Unmarshal(tt.into)
		if (err == nil) != (tt.want != nil) || err == nil && !reflect.DeepEqual(tt.into, tt.want) {
			t.Errorf("%v into %T: %+v, %v", tt.value, tt.into, tt.into, err)
		}
		if errors.Is(err, errNotDecodable) {
			t.Errorf("%v into %T: its method was called", tt.value, tt.into)
		}
	}
	if v := mustMarshal(t, Doc("v", bytesOnly{"b"})).Lookup("v"); v.String() != `{"$binary":{"base64":"Yg==","subType":"00"}}` {
		t.Errorf("%v", v)
	}
}

// A method may append no text at all, but must keep the bytes that stood before.
func TestAppendedTextKeepsWhatStoodBefore(t *testing.T) {
	for name, tt := range map[string]struct {
		add  func([]byte) []byte
		want string
	}{
		"a text":        {func(dst []byte) []byte { return append(dst, "ab"...) }, `{"a":1,"v":"ab"}`},
		"no text":       {func(dst []byte) []byte { return dst }, `{"a":1,"v":""}`},
		"a byte less":   {func(dst []byte) []byte { return dst[:len(dst)-1] }, ""},
		"nothing":       {func([]byte) []byte { return nil }, ""},
		"another array": {func(dst []byte) []byte { return append(append([]byte{}, dst...), "ab"...) }, `{"a":1,"v":"ab"}`},
		"a broken text": {func(dst []byte) []byte { return append(dst, 0xff) }, ""},
	} {
		raw, err := Marshal(Doc("a", 1, "v", adder{tt.add}))
		if tt.want == "" && err == nil || tt.want != "" && (err != nil || raw.String() != tt.want) {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
		if strings.Contains(name, "less") && (err == nil || err.Error() != "bson: v: bson.adder removed what others had appended") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A nil pointer can neither be encoded as a document nor decoded into, whatever methods its type has.
func TestNilPointersWithMethodsAreNotDocuments(t *testing.T) {
	for _, v := range []any{
		(*asAppender)(nil), (*asValue)(nil), (*asMarshaler)(nil), (*asValueMarshaler)(nil), (*documentAndValue)(nil), (*generated)(nil), (*textAndBytes)(nil),
		(*counted)(nil), (*mapKey)(nil), nil, map[string]int(nil), (*D)(nil), D(nil),
	} {
		if raw, err := Marshal(v); err == nil {
			t.Errorf("%T was encoded as %v", v, raw)
		}
		if _, ok := v.(map[string]int); v == nil || reflect.TypeOf(v).Kind() == reflect.Pointer || ok {
			if err := Unmarshal(EmptyDocument(), v); err == nil || !strings.Contains(err.Error(), "cannot decode into") {
				t.Errorf("%T was decoded: %v", v, err)
			}
		}
		if raw, err := Marshal(Doc("v", v)); err != nil || !raw.Lookup("v").IsNull() {
			t.Errorf("%T in a field is %v, %v", v, raw, err)
		}
	}
}

// documentAndValue has both AppendBSON and AppendBSONValue.
type documentAndValue struct{ n int32 }

func (w *documentAndValue) AppendBSON(dst []byte) ([]byte, error) {
	return MarshalAppend(dst, Doc("n", w.n))
}
func (w *documentAndValue) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	out, err := MarshalAppend(dst, Doc("value", w.n))
	return bsontype.EmbeddedDocument, out, err
}

// AppendBSONValue comes before AppendBSON, at the top and inside.
func TestAppendedValuesComeBeforeDocuments(t *testing.T) {
	raw := mustMarshal(t, &documentAndValue{1})
	inside := mustMarshal(t, Doc("v", &documentAndValue{1}))
	if raw.String() != `{"value":1}` || inside.String() != `{"v":{"value":1}}` {
		t.Errorf("%v, %v", raw, inside)
	}
}

// Integers, strings and types with methods for text or keys can be map keys. Other types are refused.
func TestMapKeysEncodeByTheirType(t *testing.T) {
	for _, tt := range []struct {
		m    any
		want string // "": refused
	}{
		{map[uint8]int32{255: 1}, `{"255":1}`}, {map[int16]int32{-300: 1}, `{"-300":1}`}, {map[uint64]int32{1 << 63: 1}, `{"9223372036854775808":1}`},
		{map[neverAskedForText]int32{"a": 1}, `{"a":1}`}, {map[textAndBytes]int32{{"k"}: 1}, `{"k":1}`}, {map[mapKey]int32{{"a", "b"}: 1}, `{"a/b":1}`},
		{map[encoding.TextMarshaler]int32{textAndBytes{"k"}: 1}, ""}, {map[KeyMarshaler]int32{mapKey{"a", "b"}: 1}, ""},
		{map[float64]int32{1: 1}, ""}, {map[bool]int32{true: 1}, ""}, {map[bare]int32{{}: 1}, ""},
	} {
		raw, err := Marshal(tt.m)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%T is %v", tt.m, raw)
			}
			if err := Unmarshal(mustMarshal(t, Doc("1", 1)), reflect.New(reflect.TypeOf(tt.m)).Interface()); err == nil || !strings.Contains(err.Error(), "a key cannot become a") {
				t.Errorf("%T was decoded: %v", tt.m, err)
			}
			continue
		}
		if err != nil || raw.String() != tt.want {
			t.Errorf("%T is %v, %v; want %s", tt.m, raw, err, tt.want)
		}
		if reflect.TypeOf(tt.m).Key() == reflect.TypeFor[textAndBytes]() {
			continue
		}
		got := reflect.New(reflect.TypeOf(tt.m))
		if err := Unmarshal(raw, got.Interface()); err != nil || reflect.TypeOf(tt.m).Key() != reflect.TypeFor[neverAskedForText]() && !reflect.DeepEqual(got.Elem().Interface(), tt.m) {
			t.Errorf("%T came back as %v, %v", tt.m, got.Elem(), err)
		}
	}
	for key, into := range map[string]any{"256": map[uint8]int32{}, "-1": map[uint8]int32{}, "128": map[int8]int32{}, "x": map[int]int32{}} {
		if err := Unmarshal(mustMarshal(t, Doc(key, 1)), into); err == nil || !strings.Contains(err.Error(), "is not a number that fits into") {
			t.Errorf("%q is a key of %T: %v", key, into, err)
		}
	}
}
