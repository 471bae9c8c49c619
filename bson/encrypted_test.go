package bson

import (
	"bytes"
	"errors"
	"testing"

	"github.com/specdrivers/onion/generated/bsontype"
)

func TestCiphertext(t *testing.T) {
	c := Ciphertext{Algorithm: EncryptedRandomized, KeyID: NewUUID(), OriginalType: bsontype.String, Data: []byte{1, 2, 3}}
	b, err := c.Binary()
	if err != nil {
		t.Fatal(err)
	}
	want := append(append([]byte{2}, c.KeyID[:]...), 0x02, 1, 2, 3)
	if b.Subtype != 6 || !bytes.Equal(b.Data, want) {
		t.Errorf("Binary() = %d %x, want 6 %x", b.Subtype, b.Data, want)
	}
	got, err := ParseCiphertext(b.Data)
	if err != nil || got.Algorithm != c.Algorithm || got.KeyID != c.KeyID || got.OriginalType != c.OriginalType ||
		!bytes.Equal(got.Data, c.Data) {
		t.Errorf("got %+v, %v, want %+v", got, err, c)
	}
}

func TestParseCiphertextRejects(t *testing.T) {
	header := func(kind, original byte) []byte { return append(append([]byte{kind}, make([]byte, 16)...), original) }
	tests := []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"short", header(1, 2)[:17]},
		{"marking", header(0, 2)},
		{"unknown kind", header(3, 2)},
		{"unknown original type", header(1, 0x55)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if c, err := ParseCiphertext(tt.data); !errors.Is(err, ErrInvalidEncrypted) {
				t.Errorf("got %+v, %v, want ErrInvalidEncrypted", c, err)
			}
		})
	}
}

func TestEncryptionMarking(t *testing.T) {
	value := RawValue{Type: bsontype.Int32, Value: []byte{7, 0, 0, 0}}
	id := NewUUID()
	tests := []struct {
		name string
		in   EncryptionMarking
		ok   bool
	}{
		{"by identifier", EncryptionMarking{Value: value, Algorithm: EncryptedDeterministic, KeyID: &id}, true},
		{"by name", EncryptionMarking{Value: value, Algorithm: EncryptedRandomized, KeyAltName: "k"}, true},
		{"by both", EncryptionMarking{Value: value, Algorithm: EncryptedRandomized, KeyID: &id, KeyAltName: "k"}, false},
		{"by neither", EncryptionMarking{Value: value, Algorithm: EncryptedRandomized}, false},
		{"without a value", EncryptionMarking{Algorithm: EncryptedRandomized, KeyID: &id}, false},
		{"without an algorithm", EncryptionMarking{Value: value, KeyID: &id}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := tt.in.Binary()
			if !tt.ok {
				if !errors.Is(err, ErrInvalidEncrypted) {
					t.Fatalf("got %v, want ErrInvalidEncrypted", err)
				}
				return
			}
			if err != nil || b.Subtype != 6 || b.Data[0] != 0 {
				t.Fatalf("Binary() = %+v, %v", b, err)
			}
			got, err := ParseEncryptionMarking(b.Data)
			if err != nil || !got.Value.Equal(value) || got.Algorithm != tt.in.Algorithm || got.KeyAltName != tt.in.KeyAltName ||
				(got.KeyID == nil) != (tt.in.KeyID == nil) || got.KeyID != nil && *got.KeyID != id {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.in)
			}
			if _, err := ParseCiphertext(b.Data); !errors.Is(err, ErrInvalidEncrypted) {
				t.Errorf("the marking passes for a ciphertext: %v", err)
			}
		})
	}
}

func TestParseEncryptionMarkingRejects(t *testing.T) {
	doc := func(build func([]byte) []byte) []byte {
		dst, start := AppendDocumentStart([]byte{0})
		return AppendDocumentEnd(build(dst), start)
	}
	tests := []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"ciphertext", []byte{1, 5, 0, 0, 0, 0}},
		{"broken document", []byte{0, 6, 0, 0, 0, 0}},
		{"empty document", []byte{0, 5, 0, 0, 0, 0}},
		{"algorithm of another type", doc(func(b []byte) []byte { return AppendStringElement(b, "a", "1") })},
		{"unknown algorithm", doc(func(b []byte) []byte { return AppendInt32Element(b, "a", 257) })},
		{"identifier of another type", doc(func(b []byte) []byte { return AppendInt32Element(b, "ki", 1) })},
		{"name of another type", doc(func(b []byte) []byte { return AppendInt32Element(b, "ka", 1) })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if m, err := ParseEncryptionMarking(tt.data); !errors.Is(err, ErrInvalidEncrypted) {
				t.Errorf("got %+v, %v, want ErrInvalidEncrypted", m, err)
			}
		})
	}
}
