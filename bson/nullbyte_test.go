package bson

import (
	"strings"
	"testing"
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
		t.Errorf("a text may hold one: %x, %v", data, err)
	}
}
