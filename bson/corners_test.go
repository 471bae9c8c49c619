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

// bothWays decodes itself from a value and from a document, and remembers which it was.
type bothWays struct{ from string }

func (b *bothWays) DecodeBSON(bson.Raw) error           { b.from = "document"; return nil }
func (b *bothWays) DecodeBSONValue(bson.RawValue) error { b.from = "value"; return nil }

// A type that decodes itself in two ways is asked for the value, at the top and inside.
func TestValuesComeBeforeDocuments(t *testing.T) {
	raw := encoded(t, bson.Doc("a", bson.D{}))
	var top bothWays
	var inner struct{ A bothWays }
	if err := errors.Join(bson.Unmarshal(raw, &top), bson.Unmarshal(raw, &inner)); err != nil || top.from != "value" || inner.A.from != "value" {
		t.Errorf("%v: from a %s, and inside from a %s", err, top.from, inner.A.from)
	}
}

// What does not fit a Go value is an error, also where it stands alone in the last byte.
func TestValuesThatFitNowhere(t *testing.T) {
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

// Keys of arrays mean nothing to readers, so that one that is no text spoils documents alone.
func TestKeysOfArraysAreNotLookedAt(t *testing.T) {
	raw := encoded(t, bson.Doc("a", 1))
	raw[5] = 0xff
	if err := bson.RawArray(raw).Validate(); err != nil {
		t.Errorf("as an array: %v", err)
	}
	if err := raw.Validate(); err == nil {
		t.Error("as a document it is valid")
	}
}

// A value that is not whole says so in place of its text.
func TestTextOfABrokenValue(t *testing.T) {
	const want = "(bson: the int is cut off or states a wrong length (at byte 0))"
	if text := (bson.RawValue{Type: bsontype.Int32, Value: []byte{1}}).String(); text != want {
		t.Errorf("got %q", text)
	}
}

// Maps of any name are written as JSON inside a document, in the order of their keys, down to the last level.
func TestMapsInsideDocumentsAsJSON(t *testing.T) {
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

// A scalar that is decoded into an any needs no copy of its document.
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
