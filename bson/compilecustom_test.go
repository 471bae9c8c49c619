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

// counted is a string by its kind, and a number by its method.
type counted string

func (c counted) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	return bsontype.Int32, wire.AppendInt32(dst, int32(len(c))), nil
}

func (c *counted) DecodeBSONValue(v RawValue) error {
	n, _ := v.Int32OK()
	*c = counted(strings.Repeat("x", int(n)))
	return nil
}

// loud has a method that makes its text, which is never called: a string is encoded as it is.
type loud string

func (l *loud) UnmarshalText(text []byte) error {
	*l = loud(strings.ToUpper(string(text)))
	return nil
}

// The types below have no exported field, and the methods that their names say.
type (
	bare         struct{ s string }
	bytesOnly    struct{ s string }
	textAndBytes struct{ s string }
	adder        struct{ add func([]byte) []byte }
	nothing      struct{}
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
func (a adder) AppendText(dst []byte) ([]byte, error)             { return a.add(dst), nil }
func (nothing) MarshalBSONValue() (byte, []byte, error)           { return byte(bsontype.Null), nil, nil }
func (nothing) UnmarshalBSONValue(byte, []byte) error             { return errOfNothing }
func (open) UnmarshalBinary([]byte) error                         { return errOfNothing }
func (nothing2) AppendBSONValue(dst []byte) (Type, []byte, error) { return bsontype.Null, dst, nil }

// open has an exported field, which makes it a document.
type open struct{ N int32 }

type nothing2 struct{ N int32 }

var errOfNothing = errors.New("nothing is decoded")

// Methods come before the kind of a type, in fields and lists too.
func TestMethodsComeBeforeTheKind(t *testing.T) {
	type all struct {
		C counted
		P *counted
		S []counted
		M map[string]counted
		L loud
		O open
	}
	three := counted("abc")
	raw := mustMarshal(t, all{C: "ab", P: &three, S: []counted{"a"}, M: map[string]counted{"k": "abcd"}, L: "quiet", O: open{5}})
	if got := raw.String(); got != `{"c":2,"p":3,"s":[1],"m":{"k":4},"l":"quiet","o":{"n":5}}` {
		t.Error(got)
	}
	var got all
	want := all{C: "xx", S: []counted{"x"}, M: map[string]counted{"k": "xxxx"}, L: "quiet", O: open{5}}
	three = "xxx"
	want.P = &three
	if err := Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, v := range map[string]any{"a value": nothing{}, "an appended value": nothing2{}} {
		if raw := mustMarshal(t, Doc("v", v)); !raw.Lookup("v").IsNull() {
			t.Errorf("%s of no bytes is %v", name, raw)
		}
	}
}

// A type without exported fields takes what its methods take, and an empty document as its zero value.
func TestWhatTypesWithoutFieldsTake(t *testing.T) {
	binary, other := Binary{Data: []byte("b")}, Binary{Subtype: bsontype.BinaryMD5, Data: []byte("b")}
	for _, tt := range []struct {
		value, into, want any // nil: refused
	}{
		{binary, &bare{}, nil}, {"s", &bare{}, nil}, {D{}, &bare{"was"}, &bare{"was"}},
		{binary, &bytesOnly{}, &bytesOnly{"b"}}, {other, &bytesOnly{}, nil}, {"s", &bytesOnly{}, nil}, {1, &bytesOnly{}, nil}, {D{}, &bytesOnly{"was"}, &bytesOnly{}},
		{binary, &textAndBytes{}, &textAndBytes{"bytes b"}}, {"s", &textAndBytes{}, &textAndBytes{"text s"}}, {true, &textAndBytes{}, nil}, {D{}, &textAndBytes{"was"}, &textAndBytes{}},
		{binary, &open{}, nil}, {"s", &open{}, nil}, {D{}, &open{7}, &open{7}}, {Doc("n", 1), &open{}, &open{1}},
	} {
		err := mustMarshal(t, Doc("v", tt.value)).Lookup("v").Unmarshal(tt.into)
		if (err == nil) != (tt.want != nil) || err == nil && !reflect.DeepEqual(tt.into, tt.want) {
			t.Errorf("%v into %T: %+v, %v", tt.value, tt.into, tt.into, err)
		}
		if errors.Is(err, errOfNothing) {
			t.Errorf("%v into %T: its method was called", tt.value, tt.into)
		}
	}
	if v := mustMarshal(t, Doc("v", bytesOnly{"b"})).Lookup("v"); v.String() != `{"$binary":{"base64":"Yg==","subType":"00"}}` {
		t.Errorf("%v", v)
	}
}

// A text that a method appends may be empty, and must leave what was there before.
func TestTextsThatAreAppended(t *testing.T) {
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

// A nil pointer is no document, whatever methods its type has, and nothing is decoded into one.
func TestNilPointersOfTypesWithMethods(t *testing.T) {
	for _, v := range []any{
		(*asAppender)(nil), (*asValue)(nil), (*asMarshaler)(nil), (*asValueMarshaler)(nil), (*twoWay)(nil), (*generated)(nil), (*textAndBytes)(nil),
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

// twoWay appends itself as a document and as a value.
type twoWay struct{ n int32 }

func (w *twoWay) AppendBSON(dst []byte) ([]byte, error) { return MarshalAppend(dst, Doc("n", w.n)) }
func (w *twoWay) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	out, err := MarshalAppend(dst, Doc("value", w.n))
	return bsontype.EmbeddedDocument, out, err
}

// A type that appends itself in two ways is asked for the value, at the top and inside.
func TestAppendedValuesComeBeforeDocuments(t *testing.T) {
	raw := mustMarshal(t, &twoWay{1})
	inside := mustMarshal(t, Doc("v", &twoWay{1}))
	if raw.String() != `{"value":1}` || inside.String() != `{"v":{"value":1}}` {
		t.Errorf("%v, %v", raw, inside)
	}
}

// Keys are what a type says of itself, and a type that says nothing has none.
func TestWhatBecomesAKey(t *testing.T) {
	for _, tt := range []struct {
		m    any
		want string // "": refused
	}{
		{map[uint8]int32{255: 1}, `{"255":1}`}, {map[int16]int32{-300: 1}, `{"-300":1}`}, {map[uint64]int32{1 << 63: 1}, `{"9223372036854775808":1}`},
		{map[loud]int32{"a": 1}, `{"a":1}`}, {map[textAndBytes]int32{{"k"}: 1}, `{"k":1}`}, {map[mapKey]int32{{"a", "b"}: 1}, `{"a/b":1}`},
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
		if err := Unmarshal(raw, got.Interface()); err != nil || reflect.TypeOf(tt.m).Key() != reflect.TypeFor[loud]() && !reflect.DeepEqual(got.Elem().Interface(), tt.m) {
			t.Errorf("%T came back as %v, %v", tt.m, got.Elem(), err)
		}
	}
	for key, into := range map[string]any{"256": map[uint8]int32{}, "-1": map[uint8]int32{}, "128": map[int8]int32{}, "x": map[int]int32{}} {
		if err := Unmarshal(mustMarshal(t, Doc(key, 1)), into); err == nil || !strings.Contains(err.Error(), "is not a number that fits into") {
			t.Errorf("%q is a key of %T: %v", key, into, err)
		}
	}
}
