package bson_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// malformedDocuments returns documents whose length is right but whose elements are broken.
func malformedDocuments() map[string]bson.Raw {
	docs := map[string]bson.Raw{}
	for name, body := range map[string]string{
		"a key without an end":         "\x10ab",
		"a second key without an end":  "\x10a\x00\x01\x00\x00\x00\x10",
		"a value that is cut off":      "\x10a\x00\x01\x00\x00",
		"a text that is cut off":       "\x02a\x00\x09\x00\x00\x00b\x00",
		"an unknown type":              "\x55a\x00\x01",
		"a document that is cut off":   "\x03a\x00\x06\x00\x00\x00\x00",
		"a later value that is broken": "\x10a\x00\x01\x00\x00\x00\x01b\x00\x01",
	} {
		doc := append(append([]byte{0, 0, 0, 0}, body...), 0)
		binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
		docs[name] = doc
	}
	return docs
}

// The text and offset of the error do not depend on what the document is decoded into.
func TestBrokenDocumentGetsTheSameErrorEverywhere(t *testing.T) {
	for name, doc := range malformedDocuments() {
		_, want := doc.Elements()
		if !errors.Is(want, bson.ErrMalformed) {
			t.Errorf("%s: %v", name, want)
		}
		if values, err := doc.Values(); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, %v", name, values, err)
		}
		if err := doc.Validate(); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := doc.LookupErr("x"); !errors.Is(err, bson.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		r := bson.NewReader(doc)
		for r.Next() {
		}
		words, _, _ := strings.Cut(want.Error(), " (at byte") // a reader names the place where the element begins
		if err := r.Err(); err == nil || !strings.HasPrefix(err.Error(), words+" (") {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		for _, into := range []any{
			new(bson.D), new(bson.M), new(any), &map[string]any{}, &map[string]int{}, map[string]int{}, new(struct{ A int32 }), new(struct{ A any }),
			new(struct{ X *int }), new(struct {
				Rest map[string]any `bson:",inline"`
			}),
		} {
			if err := bson.Unmarshal(doc, into); err == nil || err.Error() != want.Error() {
				t.Errorf("%s into %T: %v, want %v", name, into, err, want)
			}
			if o := (&bson.UnmarshalOptions{RejectDuplicateKeys: true}); !errors.Is(bson.Unmarshal(doc, into, o), bson.ErrMalformed) {
				t.Errorf("%s into %T, where no key may come twice", name, into)
			}
		}
		inside := encoded(t, bson.Doc("in", bson.A{doc}))
		list := encoded(t, bson.Doc("in", bson.RawArray(doc)))
		wantInside, wantList := "", ""
		for _, into := range []any{
			new(bson.D), new(bson.M), new(struct{ In []bson.D }), new(struct{ In []bson.M }), new(struct{ In []map[string]int32 }), new(struct{ In []struct{ A int32 } }), new(struct{ In any }),
		} {
			err := bson.Unmarshal(inside, into)
			if !errors.Is(err, bson.ErrMalformed) || wantInside != "" && wantInside != err.Error() {
				t.Errorf("%s inside, into %T: %v, want %s", name, into, err, wantInside)
			}
			wantInside = fmt.Sprint(err)
		}
		for _, into := range []any{
			new(bson.D), new(bson.M), new(struct{ In bson.A }), new(struct{ In []int32 }), new(struct{ In []any }), new(struct{ In any }), new(struct{ In [3]any }),
		} {
			err := bson.Unmarshal(list, into)
			if !errors.Is(err, bson.ErrMalformed) || wantList != "" && wantList != err.Error() {
				t.Errorf("%s as a list, into %T: %v, want %s", name, into, err, wantList)
			}
			wantList = fmt.Sprint(err)
		}
		if text, err := bson.MarshalExtJSON(doc, false); !errors.Is(err, bson.ErrMalformed) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// Null sets a variable to zero, and a shorter list leaves nothing of a longer one.
func TestDecodingReplacesOldValues(t *testing.T) {
	one := int32(1)
	type held struct {
		D bson.D
		A bson.A
		M bson.M
		S []int32
		B []byte
		F [2]byte
		L [3]int32
		N map[string]int32
		P *int32
		I fmt.Stringer
		V any
		U url.URL
	}
	full := func() held {
		return held{
			bson.Doc("x", 1), bson.A{1}, bson.M{"x": 1}, []int32{7, 8, 9}, []byte("abc"), [2]byte{7, 8}, [3]int32{7, 8, 9}, map[string]int32{"x": 1},
			&one, bson.ObjectID{1}, 5, url.URL{Host: "h"},
		}
	}
	got := full()
	var nulls bson.D
	for i := range reflect.TypeFor[held]().NumField() {
		nulls = append(nulls, bson.E{Key: string(reflect.TypeFor[held]().Field(i).Name[0] + 'a' - 'A')})
	}
	if err := bson.Unmarshal(encoded(t, nulls), &got); err != nil || !reflect.ValueOf(got).IsZero() {
		t.Errorf("null everywhere: %+v, %v", got, err)
	}
	got = full()
	short := bson.Doc("s", bson.A{1}, "b", []byte("z"), "f", []byte("z"), "l", bson.A{1}, "n", bson.Doc("y", 2), "p", int32(3))
	err := bson.Unmarshal(encoded(t, short), &got)
	want := full()
	three := int32(3)
	want.S, want.B, want.F, want.L, want.N, want.P = []int32{1}, []byte("z"), [2]byte{'z'}, [3]int32{1}, map[string]int32{"x": 1, "y": 2}, &three
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	type two struct{ X, Y int32 }
	grown := struct{ S []two }{[]two{{7, 8}}}
	for _, n := range []int{2, 1, 3, 9} { // the first has no room for another
		var list bson.A
		for range n {
			list = append(list, bson.Doc("x", int32(1)))
		}
		if err := bson.Unmarshal(encoded(t, bson.Doc("s", list)), &grown); err != nil || len(grown.S) != n || slices.ContainsFunc(grown.S, func(v two) bool { return v != two{1, 0} }) {
			t.Errorf("%d structs: %v, %v", n, grown.S, err)
		}
		for i := range grown.S {
			grown.S[i].Y = 8
		}
	}
	if three != *got.P || one != 3 {
		t.Errorf("a pointer that was there points to %d and %d", one, *got.P)
	}
	if err := bson.Unmarshal(encoded(t, bson.Doc("i", 1)), &got); err == nil {
		t.Errorf("a number became a Stringer: %v", got.I)
	}
}

// Types with decoders of their own do not share the document's memory either.
func TestTypedValuesShareNoMemory(t *testing.T) {
	doc := encoded(t, bson.Doc("a", bson.A{"text", bson.A{"more"}, bson.Doc("k", "v")}, "d", bson.Doc("key", "value", "b", []byte("bin")),
		"c", bson.CodeWithScope{Code: "code", Scope: bson.Doc("key", "value", "list", bson.A{"text"})}))
	for path, intos := range map[string][]func() any{
		"a": {func() any { return new(bson.A) }, func() any { return new([]any) }, func() any { return new(bson.RawArray) }, func() any { return new(bson.RawValue) }},
		"c": {func() any { return new(bson.CodeWithScope) }, func() any { return new(any) }},
		"d": {func() any { return new(bson.D) }, func() any { return new(bson.M) }, func() any { return new(map[string]any) }, func() any { return new(bson.Raw) },
			func() any { return new(map[string]bson.RawValue) }, func() any { return new(struct{ Key, B any }) }},
	} {
		for _, into := range intos {
			raw := doc.Lookup(path)
			got, want := into(), into()
			copied := bytes.Clone(raw.Value)
			if err := errors.Join(raw.Unmarshal(want), bson.RawValue{Type: raw.Type, Value: copied}.Unmarshal(got)); err != nil {
				t.Fatalf("%T: %v", want, err)
			}
			for i := range copied {
				copied[i] = 0xEE
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%T turned into %v", got, got)
			}
		}
	}
}
