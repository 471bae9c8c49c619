package bson

import (
	"errors"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson/internal/wire"
)

func TestReader(t *testing.T) {
	doc, err := ExtJSONToRaw([]byte(`{"a":1,"b":"x","a":null}`), false)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	r := NewReader(doc)
	for r.Next() {
		keys = append(keys, r.Key()+"="+r.Value().Type.String())
	}
	if want := []string{"a=int", "b=string", "a=null"}; r.Err() != nil || !slices.Equal(keys, want) {
		t.Errorf("got %v, %v, want %v", keys, r.Err(), want)
	}
	if n := testing.AllocsPerRun(100, func() {
		r := NewReader(doc)
		for r.Next() {
			_ = r.Value()
		}
	}); n != 0 {
		t.Errorf("walking allocates %v times", n)
	}
}

func TestReaderStopsAtMalformed(t *testing.T) {
	tests := []struct {
		name, doc, path string
		offset          int
	}{
		{"no document", "\x04\x00\x00\x00", "", 0},
		{"wrong length", "\x06\x00\x00\x00\x00", "", 0},
		{"key without an end", "\x07\x00\x00\x00\x0aa\x00", "", 4},
		{"value cut off", "\x0a\x00\x00\x00\x10a\x00\x01\x00\x00", "a", 7},
		{"unknown type", "\x0b\x00\x00\x00\x0aa\x00\x55b\x00\x00", "b", 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(Raw(tt.doc))
			if r.Key() != "" || !r.Value().IsZero() {
				t.Errorf("there is an element %q before the first", r.Key())
			}
			for r.Next() {
			}
			if r.Key() != "" || !r.Value().IsZero() || r.Next() {
				t.Errorf("there is an element %q after the malformed one", r.Key())
			}
			var e *DecodeError
			if !errors.As(r.Err(), &e) || e.Path != tt.path || e.Offset != tt.offset || !errors.Is(e, wire.ErrMalformed) {
				t.Errorf("got %v, want an error at %q, byte %d", r.Err(), tt.path, tt.offset)
			}
		})
	}
}

// TestReaderGivesTheOffsetThatValidateGives breaks a value, a key and a length.
func TestReaderGivesTheOffsetThatValidateGives(t *testing.T) {
	for _, text := range []string{
		"\x04\x00\x00\x00",
		"\x07\x00\x00\x00\x0aa\x00",
		"\x0a\x00\x00\x00\x10a\x00\x01\x00\x00",
		"\x0b\x00\x00\x00\x0aa\x00\x55b\x00\x00",
	} {
		r := NewReader(Raw(text))
		for r.Next() {
		}
		got, isRead := errors.AsType[*DecodeError](r.Err())
		want, isValidated := errors.AsType[*DecodeError](Raw(text).Validate())
		if !isRead || !isValidated || got.Offset != want.Offset || got.Path != want.Path {
			t.Errorf("%q: Reader got %v, want as Validate: %v", text, got, want)
		}
	}
}

func TestReaderFail(t *testing.T) {
	doc, err := ExtJSONToRaw([]byte(`{"a":1,"b":{"c":2}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no")
	r := NewReader(doc)
	r.Next()
	r.Next()
	inner := NewReader(r.Value().Value)
	inner.Next()
	var e *DecodeError
	if err := r.Fail(inner.Fail(cause)); !errors.As(err, &e) || e.Path != "b.c" || e.Offset != 21 || !errors.Is(err, cause) {
		t.Errorf("got %v, want an error at b.c, byte 21", err)
	}
	if err := r.Fail(&DecodeError{Offset: -1, Err: cause}); !errors.As(err, &e) || e.Path != "b" || e.Offset != 14 {
		t.Errorf("got %v, want an error at b, byte 14", err)
	}
}

func TestFirstErrorWins(t *testing.T) {
	// The inner length of binary subtype 2 is wrong, and an element of unknown type follows it.
	doc := []byte(" \x00\x00\x00\x050\x00\x10\x00\x00\x00\x02\x00\x00\x00\x00\xff0000000000000\x00\x00")
	for _, into := range []any{new(D), new(M)} {
		var e *DecodeError
		if err := Unmarshal(doc, into); !errors.As(err, &e) || e.Err != wire.ErrOldBinary || e.Path != "0" {
			t.Errorf("%T: got %v", into, err)
		}
	}
}
