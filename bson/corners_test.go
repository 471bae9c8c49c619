package bson_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// documentOrValue records which of its two decoding methods was called.
type documentOrValue struct{ from string }

func (b *documentOrValue) DecodeBSON(bson.Raw) error           { b.from = "document"; return nil }
func (b *documentOrValue) DecodeBSONValue(bson.RawValue) error { b.from = "value"; return nil }

// DecodeBSONValue comes before DecodeBSON, at the top and inside.
func TestValuesComeBeforeDocuments(t *testing.T) {
	raw := encoded(t, bson.Doc("a", bson.D{}))
	var top documentOrValue
	var inner struct{ A documentOrValue }
	if err := errors.Join(bson.Unmarshal(raw, &top), bson.Unmarshal(raw, &inner)); err != nil || top.from != "value" || inner.A.from != "value" {
		t.Errorf("%v: from a %s, and inside from a %s", err, top.from, inner.A.from)
	}
}

// A value that does not fit its Go type is an error, even if only its last byte is wrong.
func TestValuesThatDoNotFitAreErrors(t *testing.T) {
	id := make([]byte, 16)
	for _, tt := range []struct {
		name  string
		value any
		into  any
	}{
		{"a number into a URL", 1, new(struct{ A url.URL })},
		{"a text into a uint", "1", new(struct{ A uint })},
		{"a document into a uint16", bson.D{}, new(struct{ A uint16 })},
		{"an MD5 sum into 16 bytes", bson.Binary{Subtype: bsontype.BinaryMD5, Data: id}, new(struct{ A [16]byte })},
		{"a UUID into 20 bytes", bson.Binary{Subtype: bsontype.BinaryUUID, Data: id}, new(struct{ A [20]byte })},
	} {
		if err := bson.Unmarshal(encoded(t, bson.Doc("a", tt.value)), tt.into); err == nil || !strings.Contains(err.Error(), "a: ") {
			t.Errorf("%s: %v, %+v", tt.name, err, tt.into)
		}
	}
	raw := encoded(t, bson.Doc("a", true))
	raw[len(raw)-2] = 2
	if err := bson.Unmarshal(raw, new(struct{ A bool })); err == nil {
		t.Error("a boolean of 2 was decoded")
	}
}

// Readers ignore the keys of arrays. Invalid UTF-8 in a key is an error only in a document.
func TestArrayKeysAreNotValidated(t *testing.T) {
	raw := encoded(t, bson.Doc("a", 1))
	raw[5] = 0xff
	if err := bson.RawArray(raw).Validate(); err != nil {
		t.Errorf("as an array: %v", err)
	}
	if err := raw.Validate(); err == nil {
		t.Error("as a document it is valid")
	}
}

// String of a truncated value returns the error in parentheses.
func TestBrokenValuePrintsItsError(t *testing.T) {
	const want = "(bson: the int is cut off or states a wrong length (at byte 0))"
	if text := (bson.RawValue{Type: bsontype.Int32, Value: []byte{1}}).String(); text != want {
		t.Errorf("got %q", text)
	}
}

// Named and unnamed maps inside a document become JSON in the order of their keys, down to the depth limit.
func TestNestedMapsAreJSONSortedByKey(t *testing.T) {
	for _, value := range []any{map[string]any{"c": 1, "b": bson.A{true}}, bson.M{"c": 1, "b": bson.A{true}}} {
		if text, err := json.Marshal(bson.Doc("a", value)); err != nil || string(text) != `{"a":{"b":[true],"c":1}}` {
			t.Errorf("%T: %s, %v", value, text, err)
		}
	}
	for levels, want := range map[int]bool{bson.DefaultMaxDepth - 1: true, bson.DefaultMaxDepth: false} {
		var list any = true
		for range levels - 1 {
			list = bson.A{list}
		}
		if _, err := bson.Doc("a", list).MarshalJSON(); (err == nil) != want {
			t.Errorf("a value below %d levels: %v", levels, err)
		}
	}
}

// Decoding a scalar into an any does not copy the document.
func TestScalarsAreNotCopied(t *testing.T) {
	raw := encoded(t, bson.Doc("a", true, "b", strings.Repeat("x", 1000)))
	var into struct{ A any }
	if n := testing.AllocsPerRun(100, func() {
		into.A = nil
		if err := bson.Unmarshal(raw, &into); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
