package bson

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// VectorType says what the elements of a Vector are.
type VectorType = bsontype.VectorType

// The element types of a Vector.
const (
	VectorInt8      = bsontype.VectorInt8
	VectorPackedBit = bsontype.VectorPackedBit
	VectorFloat32   = bsontype.VectorFloat32
)

// ErrInvalidVector is matched (errors.Is) by errors about bytes or numbers that do not make a valid Vector.
var ErrInvalidVector = errors.New("invalid vector")

// Vector is the content of a binary value of subtype 9: densely packed numbers of one type. The zero value is empty and
// cannot be encoded; ParseVector and the New functions make valid vectors. Do not change the slices
// that a Vector was made from or that its methods return: it shares them.
type Vector struct {
	elements []byte // as on the wire, little-endian
	typ      VectorType
	padding  uint8
}

// NewPackedBitVector returns the vector of the bits in data, most significant bit first. It ignores the last padding
// bits, which must be zero. It aliases data.
func NewPackedBitVector(data []byte, padding uint8) (Vector, error) {
	return prefixError(newVector(VectorPackedBit, padding, data))
}

// NewBitVector returns the packed vector of the given bits.
func NewBitVector(bits []bool) Vector {
	v := Vector{typ: VectorPackedBit, elements: make([]byte, (len(bits)+7)/8), padding: uint8(-len(bits) & 7)}
	for i, bit := range bits {
		if bit {
			v.elements[i/8] |= 0x80 >> (i % 8)
		}
	}
	return v
}

// ParseVector reads the data of a binary value of subtype 9: type, padding and elements. The vector aliases data.
func ParseVector(data []byte) (Vector, error) { return prefixError(parseVector(data)) }

func parseVector(data []byte) (Vector, error) {
	if len(data) < 2 {
		return Vector{}, vectorErrorf("%d bytes are too few: type and padding take two", len(data))
	}
	return newVector(VectorType(data[0]), data[1], data[2:])
}

// newVector checks the rules of Vector, "Validation".
func newVector(t VectorType, padding byte, elements []byte) (Vector, error) {
	bits := t.Bits()
	switch {
	case bits == 0:
		return Vector{}, vectorErrorf("unknown element type 0x%02x", byte(t))
	case 8*len(elements)%bits != 0:
		return Vector{}, vectorErrorf("%d bytes do not make a whole number of %v elements", len(elements), t)
	case padding == 0:
	case t != VectorPackedBit:
		return Vector{}, vectorErrorf("%v has a padding of %d bits, which only PACKED_BIT may have", t, padding)
	case padding > 7:
		return Vector{}, vectorErrorf("a padding of %d bits is not between 0 and 7", padding)
	case len(elements) == 0:
		return Vector{}, vectorErrorf("an empty PACKED_BIT vector has a padding of %d bits", padding)
	case elements[len(elements)-1]&(1<<padding-1) != 0:
		return Vector{}, vectorErrorf("the %d ignored bits are not all zero", padding)
	}
	return Vector{typ: t, padding: padding, elements: elements}, nil
}

func vectorErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalidVector, fmt.Sprintf(format, args...))
}

// prefixError puts the package's name before the error of an exported function. Errors that the codec returns already have it.
func prefixError[T any](v T, err error) (T, error) {
	if err != nil {
		err = fmt.Errorf("bson: %w", err)
	}
	return v, err
}

// Type returns the type of the elements, 0 for the zero Vector.
func (v Vector) Type() VectorType { return v.typ }

// Len returns the number of elements, which are bits in a PACKED_BIT vector.
func (v Vector) Len() int {
	if v.IsZero() {
		return 0
	}
	return 8*len(v.elements)/v.typ.Bits() - int(v.padding)
}

// IsZero reports whether v is the zero Vector, which omitempty leaves out. An empty vector that has a type is not zero.
func (v Vector) IsZero() bool { return v.typ == 0 }

// Equal reports whether v and o have the same type, padding and bytes: NaN equals itself, and 0 differs from -0.
func (v Vector) Equal(o Vector) bool {
	return v.typ == o.typ && v.padding == o.padding && bytes.Equal(v.elements, o.elements)
}

// Binary returns the vector as a binary value, in a copy.
func (v Vector) Binary() Binary {
	data := append(make([]byte, 0, 2+len(v.elements)), byte(v.typ), v.padding)
	return Binary{Subtype: bsontype.BinaryVector, Data: append(data, v.elements...)}
}

// AppendBSONValue writes the vector as binary subtype 9.
func (v Vector) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	if v.IsZero() {
		return 0, dst, vectorErrorf("the zero Vector has no type")
	}
	dst = append(wire.AppendInt32(dst, int32(2+len(v.elements))), bsontype.BinaryVector, byte(v.typ), v.padding)
	return bsontype.Binary, append(dst, v.elements...), nil
}

// DecodeBSONValue reads binary subtype 9 into a copy. ParseVector does it without one.
func (v *Vector) DecodeBSONValue(raw RawValue) error {
	subtype, data, ok := raw.BinaryOK()
	if !ok || subtype != bsontype.BinaryVector {
		return fmt.Errorf("cannot read a Vector from %v, only from binary subtype 9", raw.Type)
	}
	parsed, err := parseVector(data)
	if err != nil {
		return err
	}
	parsed.elements = bytes.Clone(parsed.elements)
	*v = parsed
	return nil
}
