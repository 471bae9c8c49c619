package bson

import (
	"encoding/binary"
	"math"
)

// NewFloat32Vector returns the vector of the given numbers. It aliases them on machines whose memory layout allows
// that.
func NewFloat32Vector(numbers []float32) Vector {
	v := Vector{typ: VectorFloat32}
	if unalignedNumbers {
		v.elements = reinterpret[byte](numbers, 4*len(numbers))
		return v
	}
	v.elements = make([]byte, 0, 4*len(numbers))
	for _, f := range numbers {
		v.elements = binary.LittleEndian.AppendUint32(v.elements, math.Float32bits(f))
	}
	return v
}

// Float32OK returns the numbers of a FLOAT32 vector, and false for the other types. The slice aliases the vector on
// machines whose memory layout allows that.
func (v Vector) Float32OK() ([]float32, bool) {
	if v.typ != VectorFloat32 {
		return nil, false
	}
	n := len(v.elements) / 4
	if unalignedNumbers {
		return reinterpret[float32](v.elements, n), true
	}
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(v.elements[4*i:]))
	}
	return numbers, true
}

// NewInt8Vector returns the vector of the given numbers. It aliases them.
func NewInt8Vector(numbers []int8) Vector {
	elements := reinterpret[byte](numbers, len(numbers))
	return Vector{typ: VectorInt8, elements: elements}
}

// Int8OK returns the numbers of an INT8 vector, and false for the other types. The slice aliases the vector.
func (v Vector) Int8OK() ([]int8, bool) {
	if v.typ != VectorInt8 {
		return nil, false
	}
	return reinterpret[int8](v.elements, len(v.elements)), true
}

// PackedBitOK returns the bytes of a PACKED_BIT vector, eight bits in each, and how many bits of the last byte are ignored.
// It returns false for the other types. The slice aliases the vector.
func (v Vector) PackedBitOK() (data []byte, padding uint8, ok bool) {
	if v.typ != VectorPackedBit {
		return nil, 0, false
	}
	return v.elements, v.padding, true
}

// BitOK returns the bits of a PACKED_BIT vector one by one, and false for the other types.
func (v Vector) BitOK() ([]bool, bool) {
	if v.typ != VectorPackedBit {
		return nil, false
	}
	bits := make([]bool, v.Len())
	for i := range bits {
		bits[i] = v.elements[i/8]&(0x80>>(i%8)) != 0
	}
	return bits, true
}
