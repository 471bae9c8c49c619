package bson

// VectorType says what the elements of a Vector are.
type VectorType byte

// The element types of a Vector, with their codes on the wire.
const (
	VectorInt8      VectorType = 0x03
	VectorPackedBit VectorType = 0x10
	VectorFloat32   VectorType = 0x27
)

// Vector is the content of a binary value of subtype 9: numbers of one type, packed densely. The zero value is not
// valid; NewFloat32Vector, NewInt8Vector, NewPackedBitVector and ParseVector make valid ones.
type Vector struct {
	data []byte // the two bytes of metadata and the elements, as on the wire
}
