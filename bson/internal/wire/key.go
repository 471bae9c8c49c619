package wire

import (
	"encoding/binary"
	"math/bits"

	"github.com/specdrivers/onion/generated/bsontype"
)

// The lowest and the highest bit of each of eight bytes.
const (
	LowBits  = 0x0101010101010101
	HighBits = 0x8080808080808080
)

// KeyEnd returns the index of the first zero byte of b at or after i, -1 if there is none. Keys are short, so an
// inlined look at eight bytes at a time beats a call. A look at the byte after them saves keys of eight bytes a second
// word.
func KeyEnd(b []byte, i int) int {
	for ; i+8 < len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		// The lowest bit that is set marks the first zero byte; bits above it may be set although their bytes are not
		// zero.
		if z := (w - LowBits) &^ w & HighBits; z != 0 {
			return i + bits.TrailingZeros64(z)>>3
		}
		if b[i+8] == 0 {
			return i + 8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == 0 {
			return i
		}
	}
	return -1
}

// CountElements returns how many elements an array has, up to the first malformed one.
func CountElements(b []byte) int {
	end, err := Body(b)
	n := 0
	for i := 4; i < end && err == nil; n++ {
		k := KeyEnd(b[:end], i+1)
		if k < 0 {
			break
		}
		size := ValueSize(bsontype.Type(b[i]), b[k+1:end])
		if size < 0 {
			break
		}
		i = k + 1 + size
	}
	return n
}

// BodyEnd returns the length of a document without its last byte, -1 if its length or its last byte is wrong.
func BodyEnd(b []byte) int {
	n := len(b)
	if n < 5 || int(int32(binary.LittleEndian.Uint32(b))) != n || b[n-1] != 0 {
		return -1
	}
	return n - 1
}

// Body returns what BodyEnd does, with an error that says what is wrong.
func Body(b []byte) (end int, err error) {
	if end = BodyEnd(b); end < 0 {
		return 0, bodyError(b)
	}
	return end, nil
}

func bodyError(b []byte) error {
	if len(b) < 5 {
		return Malformedf("a document of %d bytes is too short", len(b))
	}
	if n := int(int32(binary.LittleEndian.Uint32(b))); n != len(b) {
		if b[0] == '{' && b[len(b)-1] == '}' {
			return malformedError("the bytes are JSON, not BSON: decode them with UnmarshalExtJSON")
		}
		return Malformedf("the document states a length of %d bytes and has %d", n, len(b))
	}
	return malformedError("the document does not end in a zero byte")
}

// OffsetIn returns where part starts in root. It compares capacities: part was cut from root, so the capacities of both
// end at the same address unless somebody has limited the capacity of part.
func OffsetIn(root, part []byte) int { return cap(root) - cap(part) }
