package bson

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// BSON Corpus, prose test 1: strings that end with a null byte cannot contain one.
func TestNullBytesAreProhibited(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value any
	}{
		{"field name", D{{"a\x00b", 1}}},
		{"field name of a map", M{"a\x00b": 1}},
		{"field name of a map of numbers", map[string]int{"a\x00b": 1}},
		{"field name within a document", D{{"d", D{{"a\x00b", 1}}}}},
		{"field name within an array", D{{"d", A{D{{"a\x00b", 1}}}}}},
		{"pattern of a regular expression", D{{"r", Regex{Pattern: "a\x00b", Options: "i"}}}},
		{"options of a regular expression", D{{"r", Regex{Pattern: "ab", Options: "i\x00m"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if data, err := Marshal(tt.value); err == nil || !strings.Contains(err.Error(), "zero byte") {
				t.Errorf("got %x, %v", data, err)
			}
		})
	}
	if data, err := Marshal(D{{"s", "a\x00b"}}); err != nil {
		t.Errorf("text may hold a null byte: %x, %v", data, err)
	}
}

// TestKeysOfEveryLength puts each kind of byte at each position of keys of every length, because keys are read word by
// word.
func TestKeysOfEveryLength(t *testing.T) {
	for n := range 40 {
		text := "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"[:n]
		for i := range max(n, 1) {
			for _, c := range []string{"-", "\x7f", "\u00e9", "\x00", "\xff"} {
				key := text
				if n > 0 {
					key = text[:i] + c + text[i+1:]
				}
				want := AppendDocumentEnd(AppendInt32Element(make([]byte, 4), key, 7), 0)
				for _, d := range []any{D{{key, int32(7)}}, M{key: int32(7)}} {
					got, err := MarshalAppend(make([]byte, 0, 5*(i%20)), d)
					if bad := strings.Contains(key, "\x00") || !utf8.ValidString(key); bad != (err != nil) {
						t.Fatalf("%q: %v", key, err)
					} else if !bad && !bytes.Equal(got, want) {
						t.Fatalf("%q: %q, want %q", key, got, want)
					}
				}
			}
		}
	}
}
