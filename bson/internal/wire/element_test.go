package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/bsontype"
)

// TestNextOfEveryKeyLength reads values with each kind of size, whole and truncated, behind keys of every length,
// because Next looks for the end of a key word by word.
func TestNextOfEveryKeyLength(t *testing.T) {
	values := map[bsontype.Type][]byte{
		bsontype.Null:             {},
		bsontype.Int32:            {1, 0, 0, 0},
		bsontype.ObjectID:         []byte("0123456789ab"),
		bsontype.String:           []byte("\x04\x00\x00\x00abc\x00"),
		bsontype.EmbeddedDocument: []byte("\x05\x00\x00\x00\x00"),
		bsontype.Binary:           []byte("\x02\x00\x00\x00\x00ab"),
		bsontype.Regex:            []byte("a\x00i\x00"),
		bsontype.DBPointer:        []byte("\x02\x00\x00\x00a\x000123456789ab"),
	}
	for kind, value := range values {
		for n := range 20 {
			b := append([]byte{byte(kind)}, strings.Repeat("k", n)...)
			b = append(append(append(b, 0), value...), "behind"...)
			for end := range len(b) + 1 {
				compareNext(t, b[:end:end])
			}
		}
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte("\x02name\x00\x04\x00\x00\x00abc\x00\x10longer name\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for b != nil {
			b = compareNext(t, b)
		}
	})
}

// compareNext compares Next with a search byte by byte, and returns the rest.
func compareNext(t *testing.T, b []byte) []byte {
	kind, key, value, rest := Next(b)
	k := -1
	if len(b) > 0 {
		k = bytes.IndexByte(b[1:], 0)
	}
	if k < 0 || ValueSize(bsontype.Type(b[0]), b[k+2:]) < 0 {
		if rest != nil || value != nil || key != "" {
			t.Fatalf("Next(%q) = %v, %q, %q, %q, but there is no element", b, kind, key, value, rest)
		}
		return nil
	}
	n := k + 2 + ValueSize(bsontype.Type(b[0]), b[k+2:])
	if byte(kind) != b[0] || key != string(b[1:k+1]) || !bytes.Equal(value, b[k+2:n]) || rest == nil || !bytes.Equal(rest, b[n:]) {
		t.Fatalf("Next(%q) = %v, %q, %q, %q", b, kind, key, value, rest)
	}
	if cap(value) != len(value) || cap(rest) != cap(b)-n {
		t.Fatalf("Next(%q): the value has room for %d bytes, the rest for %d", b, cap(value), cap(rest))
	}
	return rest
}
