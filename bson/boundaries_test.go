package bson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

func TestTimestampsCompare(t *testing.T) {
	a, b := bson.Timestamp{T: 1, I: 2}, bson.Timestamp{T: 1, I: 3}
	if a.After(a) || a.Before(a) || !a.Equal(a) || !b.After(a) || !a.Before(b) || b.Before(a) || a.Equal(b) {
		t.Errorf("%v and %v compare wrong", a, b)
	}
	if !(bson.Timestamp{}).IsZero() || a.IsZero() {
		t.Error("only (0, 0) is zero")
	}
}

// spelled encodes as text.
type spelled string

func (s spelled) MarshalText() ([]byte, error)     { return []byte(s), nil }
func (s *spelled) UnmarshalText(text []byte) error { *s = spelled(text); return nil }

// word is like spelled, but a struct, so that only its methods reach the text.
type word struct{ text spelled }

func (w word) MarshalText() ([]byte, error)     { return w.text.MarshalText() }
func (w *word) UnmarshalText(text []byte) error { return w.text.UnmarshalText(text) }

// appended encodes through AppendText.
type appended struct{ text spelled }

func (a appended) AppendText(dst []byte) ([]byte, error) { return append(dst, a.text...), nil }

// Every byte of text from or for a method is checked for UTF-8, the first one too.
func TestTextOfMethodsIsChecked(t *testing.T) {
	for _, bad := range []spelled{"\xff", "\xffab", "ab\xff"} {
		if out, err := bson.Marshal(struct{ A spelled }{bad}); err == nil {
			t.Errorf("%q was encoded as %v", bad, out)
		}
		if out, err := bson.Marshal(struct{ A appended }{appended{bad}}); err == nil {
			t.Errorf("%q was encoded as %v", bad, out)
		}
		if out, err := bson.Marshal(struct{ A bson.DBPointer }{bson.DBPointer{DB: string(bad)}}); err == nil {
			t.Errorf("%q was encoded as %v", bad, out)
		}
		doc := bson.AppendRawValueElement(nil, "a", bson.RawValue{Type: bsontype.String, Value: textOf(string(bad))})
		doc = append(append([]byte{byte(len(doc) + 5), 0, 0, 0}, doc...), 0)
		var got struct{ A spelled }
		if err := bson.Unmarshal(doc, &got); err == nil {
			t.Errorf("%q was decoded as %q", bad, got.A)
		}
		var gotWord struct{ A word }
		if err := bson.Unmarshal(doc, &gotWord); err == nil {
			t.Errorf("%q was decoded as %q", bad, gotWord.A.text)
		}
		if out, err := bson.Marshal(struct{ A word }{word{bad}}); err == nil {
			t.Errorf("%q was encoded as %v", bad, out)
		}
	}
}

// textOf encodes a short string as a BSON value.
func textOf(s string) []byte { return append([]byte{byte(len(s) + 1), 0, 0, 0}, s+"\x00"...) }

// The decoder compares names word by word. Names around the size of a word must still match only as a whole.
func TestFieldNamesMatchOnlyWhole(t *testing.T) {
	type fields struct {
		Seven   int `bson:"abcdefg"`
		Eight   int `bson:"abcdefgh"`
		Nine    int `bson:"abcdefghi"`
		Sixteen int `bson:"abcdefghijklmnop"`
	}
	for name, want := range map[string]fields{
		"abcdef": {}, "abcdefg": {Seven: 1}, "abcdefgh": {Eight: 1}, "abcdefghi": {Nine: 1}, "abcdefghj": {}, "abcdefghij": {},
		"abcdefghijklmno": {}, "abcdefghijklmnop": {Sixteen: 1}, "abcdefghijklmnopq": {}, "abcdefgx": {},
	} {
		// Alone, and where the decoder guesses the field from its position.
		for _, before := range []bson.D{nil, {{Key: "abcdefg", Value: 0}}, {{Key: "abcdefg", Value: 0}, {Key: "abcdefgh", Value: 0}}} {
			var got fields
			if err := bson.Unmarshal(encoded(t, append(before, bson.E{Key: name, Value: 1})), &got); err != nil || got != want {
				t.Errorf("%s behind %d fields: %+v, %v", name, len(before), got, err)
			}
		}
	}
}

func encoded(t *testing.T, v any) bson.Raw {
	t.Helper()
	out, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Null sets a pointer to nil, wherever the pointer is.
func TestNullClearsPointers(t *testing.T) {
	one := 1
	type inner struct{ P *int }
	v := struct {
		A *int
		B []*int
		C [1]*int
		D map[string]*int
		E inner
		F **int
	}{A: &one, B: []*int{&one}, C: [1]*int{&one}, D: map[string]*int{"x": &one}, E: inner{&one}}
	p := &one
	v.F = &p
	doc := encoded(t, bson.Doc("a", nil, "b", bson.A{nil}, "c", bson.A{nil}, "d", bson.Doc("x", nil), "e", bson.Doc("p", nil), "f", nil))
	if err := bson.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	if v.A != nil || v.B[0] != nil || v.C[0] != nil || v.D["x"] != nil || v.E.P != nil || v.F != nil {
		t.Errorf("%+v", v)
	}
}

// The caller may reuse the document, so decoded values never share its memory.
func TestDecodedValuesShareNoMemory(t *testing.T) {
	values := bson.A{int32(7), int64(8), 1.5, "text", true, []byte("bin"), bson.A{"a", int32(9)}, bson.Doc("k", "v", "n", int64(3))}
	for _, value := range values {
		doc := encoded(t, bson.Doc("a", value))
		raw := doc.Lookup("a")
		var held struct{ A any }
		var alone any
		preset := any(bson.D{})
		for _, err := range []error{
			bson.Unmarshal(doc, &held), raw.Unmarshal(&alone), raw.Unmarshal(&preset),
		} {
			if err != nil {
				t.Fatalf("%v: %v", value, err)
			}
		}
		before, _ := json.Marshal([]any{held.A, alone, preset})
		for i := range doc {
			doc[i] = 0xEE
		}
		if after, _ := json.Marshal([]any{held.A, alone, preset}); !bytes.Equal(before, after) {
			t.Errorf("%v: %s turned into %s", value, before, after)
		}
	}
}

func TestEmptyDocuments(t *testing.T) {
	if got := bson.EmptyDocument(); !bytes.Equal(got, []byte{5, 0, 0, 0, 0}) {
		t.Errorf("%v", []byte(got))
	}
	if got := bson.Raw(nil).String(); got != "" {
		t.Errorf("an absent document prints as %q", got)
	}
}

func TestRegularExpressionsInFields(t *testing.T) {
	type match struct{ R bson.Regex }
	in := match{bson.Regex{Pattern: "^a", Options: "i"}}
	var out match
	if err := bson.Unmarshal(encoded(t, in), &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := bson.Marshal(match{bson.Regex{Pattern: "a\x00b"}}); err == nil {
		t.Error("a null byte in a pattern was encoded")
	}
}

// nestArrays returns n arrays, each inside the next.
func nestArrays(n int) bson.RawArray {
	array := []byte{5, 0, 0, 0, 0}
	for range n - 1 {
		size := len(array) + 8
		array = append([]byte{byte(size), byte(size >> 8), byte(size >> 16), 0, 4, '0', 0}, append(array, 0)...)
	}
	return array
}

// The limit counts documents and arrays alike, in BSON and in extended JSON.
func TestNestingLimitCountsDocumentsAndArrays(t *testing.T) {
	const most = bson.DefaultMaxDepth
	for n, good := range map[int]bool{most - 1: true, most: true, most + 1: false} {
		if err := nestArrays(n).Validate(); (err == nil) != good {
			t.Errorf("an array of %d levels: %v", n, err)
		}
		doc := bson.AppendArrayElement(nil, "a", nestArrays(n-1))
		size := len(doc) + 5
		doc = append(append([]byte{byte(size), byte(size >> 8), 0, 0}, doc...), 0)
		if err := bson.Raw(doc).Validate(); (err == nil) != good {
			t.Errorf("a document of %d levels: %v", n, err)
		}
		inner := bson.EmptyDocument()
		for range n - 1 {
			inner = encoded(t, bson.Doc("a", inner))
		}
		if err := inner.Validate(); (err == nil) != good {
			t.Errorf("a document in %d levels of documents: %v", n, err)
		}
		var text bson.D
		err := bson.UnmarshalExtJSON([]byte(`{"a":`+strings.Repeat("[", n-1)+strings.Repeat("]", n-1)+"}"), false, &text)
		if (err == nil) != good {
			t.Errorf("a text of %d levels: %v", n, err)
		}
		value := any(bson.A{})
		for range n - 2 {
			value = bson.A{value}
		}
		out, err := bson.MarshalExtJSON(bson.Doc("a", value), false)
		if (err == nil) != good || good && !bytes.Equal(out, []byte(`{"a":`+strings.Repeat("[", n-1)+strings.Repeat("]", n-1)+"}")) {
			t.Errorf("%d levels as a text: %v", n, err)
		}
	}
	if err := (bson.RawArray{5, 0, 0, 0, 1}).Validate(); err == nil {
		t.Error("an array without its end is valid")
	}
}

// Text that ends in the middle of a word or an object is an error, never a value.
func TestTruncatedExtJSONIsAnError(t *testing.T) {
	whole := `{"a": {"$numberInt": "1"}, "b": [true, null, {"c": false}], "d": {"e": "f"}}`
	for n := range len(whole) {
		var got bson.D
		if err := bson.UnmarshalExtJSON([]byte(whole[:n]), false, &got); err == nil {
			t.Errorf("%q is %v", whole[:n], got)
		}
	}
	for _, bad := range []string{`{"a": tru}`, `{"a": nul}`, `{"a": fals}`, `{"a": trueX}`, `{"a": trux}`, `{"a":[tru]}`, `{"a":{"`, `{"a":{"\`} {
		var got bson.D
		if err := bson.UnmarshalExtJSON([]byte(bad), false, &got); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

// Malformed BSON fails to become extended JSON, too.
func TestMalformedBSONHasNoExtJSON(t *testing.T) {
	for _, bad := range []any{
		bson.Raw{5, 0, 0, 0, 1}, bson.Doc("a", bson.Raw{6, 0, 0, 0, 0}), bson.Doc("a", bson.RawArray{5, 0, 0}),
		bson.Doc("a", bson.RawValue{Type: bsontype.String, Value: []byte{9, 0, 0, 0, 'a', 0}}),
		bson.Raw("\x0d\x00\x00\x00\x02a\x00\x02\x00\x00\x00\xff\x00"), bson.Raw("\x0a\x00\x00\x00\x7ea\x00\x00\x00\x00"),
		bson.Doc("a", bson.Raw("\x0c\x00\x00\x00\x10a\x00\x00\x00\x00")),
	} {
		for _, canonical := range []bool{true, false} {
			if text, err := bson.MarshalExtJSON(bad, canonical); err == nil {
				t.Errorf("%v is %s", bad, text)
			}
			if text, err := bson.MarshalExtJSON(struct{ V any }{bad}, canonical); err == nil {
				t.Errorf("%v in a struct is %s", bad, text)
			}
		}
	}
}

// A malformed element ends the reader. It must not loop.
func TestReaderStopsAtTheFirstMistake(t *testing.T) {
	doc := encoded(t, bson.Doc("a", 1, "b", "text"))
	doc[len(doc)-7] = 0xEE // inside the length of the text, or the text
	copy(doc[len(doc)-10:], []byte{0xFF, 0xFF, 0xFF, 0x7F})
	r := bson.NewReader(doc)
	n := 0
	for r.Next() {
		if n++; n > 2 {
			t.Fatal("the reader does not end")
		}
	}
	if n != 1 || r.Err() == nil {
		t.Errorf("%d elements, %v", n, r.Err())
	}
}

// refusingDecoder fails to decode itself.
type refusingDecoder struct{}

var errRefused = errors.New("no")

func (*refusingDecoder) DecodeBSON(bson.Raw) error { return errRefused }

// If an error has no offset, DecodeError reports where the document of the method begins.
func TestMethodErrorPointsAtItsDocument(t *testing.T) {
	doc := encoded(t, bson.Doc("a", bson.Doc()))
	err := bson.Unmarshal(doc, new(refusingDecoder))
	e, ok := errors.AsType[*bson.DecodeError](err)
	if !errors.Is(err, errRefused) || ok && e.Offset != 0 {
		t.Errorf("%v at %+v", err, e)
	}
}
