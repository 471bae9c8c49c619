package bson

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"
)

func TestUUIDRepresentations(t *testing.T) {
	// UUID, "Test Plan": one identifier, four byte orders.
	u, err := ParseUUID("00112233-4455-6677-8899-aabbccddeeff")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		rep     UUIDRepresentation
		name    string
		subtype byte
		data    string
	}{
		{UUIDStandard, "standard", 4, "00112233445566778899aabbccddeeff"},
		{UUIDPythonLegacy, "pythonLegacy", 3, "00112233445566778899aabbccddeeff"},
		{UUIDJavaLegacy, "javaLegacy", 3, "7766554433221100ffeeddccbbaa9988"},
		{UUIDCSharpLegacy, "csharpLegacy", 3, "33221100554477668899aabbccddeeff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := u.Binary(tt.rep)
			if err != nil || b.Subtype != tt.subtype || hex.EncodeToString(b.Data) != tt.data {
				t.Errorf("Binary = %d %x, %v", b.Subtype, b.Data, err)
			}
			if got, err := b.AsUUID(tt.rep); err != nil || got != u {
				t.Errorf("AsUUID = %v, %v", got, err)
			}
			if tt.rep.String() != tt.name {
				t.Errorf("String() = %s", tt.rep)
			}
			other := UUIDStandard
			if tt.subtype == 4 {
				other = UUIDJavaLegacy
			}
			if got, err := b.AsUUID(other); err == nil {
				t.Errorf("AsUUID(%v) = %v, want an error about the subtype", other, got)
			}
			if _, err := (Binary{tt.subtype, b.Data[:15]}).AsUUID(tt.rep); err == nil {
				t.Error("15 bytes are accepted")
			}
		})
	}
	for _, rep := range []UUIDRepresentation{UUIDUnspecified, 99} {
		if _, err := u.Binary(rep); err == nil {
			t.Errorf("Binary(%v) succeeds", rep)
		}
		if _, err := (Binary{4, u[:]}).AsUUID(rep); err == nil {
			t.Errorf("AsUUID(%v) succeeds", rep)
		}
	}
}

func TestParseUUID(t *testing.T) {
	const want = "c8edabc3-f738-4ca3-b68d-ab92a91478a3"
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"canonical", want, true},
		{"upper case", "C8EDABC3-F738-4CA3-B68D-AB92A91478A3", true},
		{"URN", "urn:uuid:" + want, true},
		{"no hyphens", "c8edabc3f7384ca3b68dab92a91478a3", true},
		{"empty", "", false},
		{"short", want[:35], false},
		{"long", want + "0", false},
		{"misplaced hyphen", "c8edabc-3f738-4ca3-b68d-ab92a91478a3", false},
		{"not hexadecimal", "g8edabc3-f738-4ca3-b68d-ab92a91478a3", false},
		{"braces", "{" + want + "}", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := ParseUUID(tt.in)
			if tt.ok && (err != nil || u.String() != want) || !tt.ok && !errors.Is(err, ErrInvalidUUID) {
				t.Errorf("got %v, %v, want ok %t", u, err, tt.ok)
			}
		})
	}
}

func TestNewUUIDIsVersion4(t *testing.T) {
	u := NewUUID()
	if u[6]>>4 != 4 || u[8]>>6 != 2 || u == NewUUID() {
		t.Errorf("NewUUID() = %v", u)
	}
}

func TestUUIDCodec(t *testing.T) {
	u := NewUUID()
	typ, data, err := u.AppendBSONValue(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got UUID
	if err := got.DecodeBSONValue(RawValue{Type: typ, Value: data}); err != nil || got != u {
		t.Errorf("got %v, %v, want %v", got, err, u)
	}
	data[4] = 3
	if err := got.DecodeBSONValue(RawValue{Type: typ, Value: data}); err == nil {
		t.Error("subtype 3 decodes without a representation")
	}
	if err := got.DecodeBSONValue(RawValue{Type: 0x10, Value: []byte{1, 0, 0, 0}}); err == nil {
		t.Error("an int32 decodes as a UUID")
	}
}

func TestUUIDJSONAndSQL(t *testing.T) {
	u := NewUUID()
	out, err := json.Marshal(u)
	var back UUID
	if err != nil || json.Unmarshal(out, &back) != nil || back != u {
		t.Errorf("JSON %s, %v gives %v", out, err, back)
	}
	v, err := u.Value()
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []any{v, u[:], []byte(u.String())} {
		back = NilUUID
		if err := back.Scan(src); err != nil || back != u {
			t.Errorf("Scan(%v) = %v, %v", src, back, err)
		}
	}
	if err := back.Scan(nil); err != nil || !back.IsZero() {
		t.Errorf("Scan(nil) = %v, %v", back, err)
	}
	if err := back.Scan(1); err == nil {
		t.Error("an int scans as a UUID")
	}
}
