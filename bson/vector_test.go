package bson

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/bsontype"
)

func TestParseVector(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		typ  VectorType // 0: an error
		len  int
	}{
		{"int8", []byte{0x03, 0, 127, 0x80}, VectorInt8, 2},
		{"int8 empty", []byte{0x03, 0}, VectorInt8, 0},
		{"int8 with padding", []byte{0x03, 1, 127}, 0, 0},
		{"float32", []byte{0x27, 0, 0, 0, 0x80, 0x3F}, VectorFloat32, 1},
		{"float32 empty", []byte{0x27, 0}, VectorFloat32, 0},
		{"float32 of three bytes", []byte{0x27, 0, 0, 0, 0x80}, 0, 0},
		{"float32 with padding", []byte{0x27, 3, 0, 0, 0x80, 0x3F}, 0, 0},
		{"packed bits", []byte{0x10, 0, 0xFF}, VectorPackedBit, 8},
		{"packed bits with padding", []byte{0x10, 7, 0x80}, VectorPackedBit, 1},
		{"packed bits empty", []byte{0x10, 0}, VectorPackedBit, 0},
		{"packed bits empty with padding", []byte{0x10, 1}, 0, 0},
		{"packed bits with padding 8", []byte{0x10, 8, 0}, 0, 0},
		{"packed bits with ignored bits set", []byte{0x10, 7, 0xFF}, 0, 0},
		{"unknown type", []byte{0x04, 0}, 0, 0},
		{"only a type", []byte{0x03}, 0, 0},
		{"nothing", nil, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := ParseVector(tt.data)
			if tt.typ == 0 {
				if !errors.Is(err, ErrInvalidVector) {
					t.Fatalf("got %v, %v, want ErrInvalidVector", v, err)
				}
				return
			}
			if err != nil || v.Type() != tt.typ || v.Len() != tt.len {
				t.Fatalf("got %v of %d, %v, want %v of %d", v.Type(), v.Len(), err, tt.typ, tt.len)
			}
			if b := v.Binary(); b.Subtype != bsontype.BinaryVector || !slices.Equal(b.Data, tt.data) {
				t.Errorf("Binary() = %d %x, want 9 %x", b.Subtype, b.Data, tt.data)
			}
		})
	}
}

func TestVectorConversions(t *testing.T) {
	floats := []float32{1.5, float32(math.Inf(-1)), 0, -7}
	if got, ok := NewFloat32Vector(floats).Float32OK(); !ok || !slices.Equal(got, floats) {
		t.Errorf("Float32OK() = %v, %t", got, ok)
	}
	ints := []int8{-128, 0, 127}
	if got, ok := NewInt8Vector(ints).Int8OK(); !ok || !slices.Equal(got, ints) {
		t.Errorf("Int8OK() = %v, %t", got, ok)
	}
	bits := []bool{true, false, true, false, false, false, false, true, true}
	v := NewBitVector(bits)
	if data, padding, ok := v.PackedBitOK(); !ok || !slices.Equal(data, []byte{0xA1, 0x80}) || padding != 7 {
		t.Errorf("PackedBitOK() = %x, padding %d, %t", data, padding, ok)
	}
	if got, ok := v.BitOK(); !ok || !slices.Equal(got, bits) {
		t.Errorf("BitOK() = %v, %t", got, ok)
	}
	if _, ok := v.Float32OK(); ok {
		t.Error("bits are read as float32")
	}
	if _, ok := v.Int8OK(); ok {
		t.Error("bits are read as int8")
	}
	if _, _, ok := NewInt8Vector(ints).PackedBitOK(); ok {
		t.Error("int8 is read as packed bits")
	}
	if _, ok := NewInt8Vector(ints).BitOK(); ok {
		t.Error("int8 is read as bits")
	}
	for _, padding := range []uint8{8, 255} {
		if _, err := NewPackedBitVector([]byte{0}, padding); !errors.Is(err, ErrInvalidVector) {
			t.Errorf("padding %d: %v, want ErrInvalidVector", padding, err)
		}
	}
}

func TestVectorIgnoredBitsAreZero(t *testing.T) {
	// Vector, "Treatment of non-zero ignored bits": prose tests 1 and 2. Both directions reject such bits. A vector
	// therefore has only one encoding, and the comparison of prose test 3 is unambiguous.
	if _, err := NewPackedBitVector([]byte{0xFF}, 7); !errors.Is(err, ErrInvalidVector) {
		t.Errorf("encoding: %v, want ErrInvalidVector", err)
	}
	if _, err := ParseVector([]byte{0x10, 7, 0xFF}); !errors.Is(err, ErrInvalidVector) {
		t.Errorf("decoding: %v, want ErrInvalidVector", err)
	}
	a, _ := ParseVector([]byte{0x10, 7, 0x80})
	b, err := NewPackedBitVector([]byte{0x80}, 7)
	if err != nil || !a.Equal(b) {
		t.Errorf("%v differs from %v, %v", a, b, err)
	}
	if c := NewBitVector([]bool{true, false}); a.Equal(c) {
		t.Errorf("%v equals %v", a, c)
	}
}

func TestVectorCodec(t *testing.T) {
	v := NewFloat32Vector([]float32{1, 2, 3})
	typ, data, err := v.AppendBSONValue(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got Vector
	if err := got.DecodeBSONValue(RawValue{Type: typ, Value: data}); err != nil || !got.Equal(v) {
		t.Fatalf("got %v, %v, want %v", got, err, v)
	}
	clear(data)
	if !got.Equal(v) {
		t.Error("the decoded vector aliases the input")
	}
	if _, _, err := (Vector{}).AppendBSONValue(nil); !errors.Is(err, ErrInvalidVector) {
		t.Errorf("the zero Vector encodes: %v", err)
	}
	_, other, _ := NewUUID().AppendBSONValue(nil)
	if err := got.DecodeBSONValue(RawValue{Type: typ, Value: other}); err == nil {
		t.Error("a UUID decodes as a vector")
	}
}

// FuzzVector checks that every accepted vector converts to numbers and back to the same bytes.
func FuzzVector(f *testing.F) {
	f.Add([]byte{0x03, 0, 127, 0x80})
	f.Add([]byte{0x27, 0, 0, 0, 0x80, 0x3F, 1, 0, 0xC0, 0x7F})
	f.Add([]byte{0x10, 3, 127, 8})
	f.Add([]byte{0x10, 1})
	f.Add([]byte{0x10, 7, 0xFF})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseVector(data)
		if err != nil {
			if !errors.Is(err, ErrInvalidVector) {
				t.Fatalf("error %v is not ErrInvalidVector", err)
			}
			return
		}
		var again Vector
		switch v.Type() {
		case VectorFloat32:
			numbers, _ := v.Float32OK()
			again = NewFloat32Vector(slices.Clone(numbers))
		case VectorInt8:
			numbers, _ := v.Int8OK()
			again = NewInt8Vector(numbers)
		case VectorPackedBit:
			bits, _ := v.BitOK()
			again = NewBitVector(bits)
		}
		if !again.Equal(v) || !slices.Equal(again.Binary().Data, data) {
			t.Fatalf("%x becomes %x", data, again.Binary().Data)
		}
	})
}
