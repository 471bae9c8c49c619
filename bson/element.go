package bson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/bsontype"
)

// Type is the byte that opens a BSON element.
type Type = bsontype.Type

// Sizes of values that their type does not fix.
const (
	sizeString   = -1 // int32 length of the bytes that follow, a zero byte among them
	sizeDocument = -2 // int32 length of the whole value
	sizeBinary   = -3 // int32 length of the bytes after the subtype
	sizeRegex    = -4 // two strings that end in a zero byte
	sizePointer  = -5 // string and ObjectID
	sizeUnknown  = -6
)

// sizeOf maps a type byte to the length of its values, or to one of the constants above.
var sizeOf = func() (sizes [256]int8) {
	for i := range sizes {
		t := Type(i)
		switch {
		case !t.IsValid():
			sizes[i] = sizeUnknown
		case t.FixedSize() >= 0:
			sizes[i] = int8(t.FixedSize())
		}
	}
	for _, t := range []Type{bsontype.String, bsontype.JavaScript, bsontype.Symbol} {
		sizes[t] = sizeString
	}
	for _, t := range []Type{bsontype.EmbeddedDocument, bsontype.Array, bsontype.CodeWithScope} {
		sizes[t] = sizeDocument
	}
	sizes[bsontype.Binary] = sizeBinary
	sizes[bsontype.Regex] = sizeRegex
	sizes[bsontype.DBPointer] = sizePointer
	return sizes
}()

// valueSize returns the length of the value of type t at the start of b, -1 if b does not hold such a value. It looks
// at lengths and terminators only.
func valueSize(t Type, b []byte) int {
	if n := int(sizeOf[t]); uint(n) <= uint(len(b)) {
		return n
	}
	return variableSize(t, b)
}

// variableSize is valueSize for types whose size varies, and for values that are cut off.
func variableSize(t Type, b []byte) int {
	if t == bsontype.String && len(b) >= 5 { // by far the most frequent
		n := int(int32(binary.LittleEndian.Uint32(b)))
		if n < 1 || n > len(b)-4 || b[n+3] != 0 {
			return -1
		}
		return n + 4
	}
	if sizeOf[t] == sizeRegex {
		if i := keyEnd(b, 0); i >= 0 {
			if j := keyEnd(b, i+1); j >= 0 {
				return j + 1
			}
		}
		return -1
	}
	if len(b) < 5 {
		return -1
	}
	n := int(int32(binary.LittleEndian.Uint32(b)))
	switch sizeOf[t] {
	case sizeString:
		if n < 1 || n > len(b)-4 || b[n+3] != 0 {
			return -1
		}
		return n + 4
	case sizeDocument:
		if n < 5 || n > len(b) || b[n-1] != 0 {
			return -1
		}
		return n
	case sizeBinary:
		if n < 0 || n > len(b)-5 {
			return -1
		}
		return n + 5
	case sizePointer:
		if n < 1 || n > len(b)-16 || b[n+3] != 0 {
			return -1
		}
		return n + 16
	}
	return -1
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// keyEnd returns the index of the first zero byte of b at or after i, -1 if there is none. Keys are short, so looking at
// eight bytes at a time in line beats a call.
func keyEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		// The lowest bit set is the first zero byte; bits above it may be false.
		if z := (w - lowBits) &^ w & highBits; z != 0 {
			return i + bits.TrailingZeros64(z)>>3
		}
	}
	for ; i < len(b); i++ {
		if b[i] == 0 {
			return i
		}
	}
	return -1
}

// textKeyEnd is keyEnd that also reports whether the key is UTF-8.
func textKeyEnd(b []byte, i int) (end int, valid bool) {
	start := i
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if z := (w - lowBits) &^ w & highBits; z != 0 {
			shift := bits.TrailingZeros64(z)
			end = i + shift>>3
			if w&highBits&(1<<shift-1) == 0 {
				return end, true // so were the words before, or the loop had ended
			}
			return end, utf8.Valid(b[start:end])
		}
		if w&highBits != 0 {
			break
		}
	}
	if end = keyEnd(b, i); end < 0 {
		return end, false
	}
	return end, validText(b[start:end])
}

// validText reports whether b is UTF-8; most text is ASCII, which takes eight bytes at a time.
func validText(b []byte) bool {
	n := len(b)
	var seen uint64 // every byte of b, or-ed; the last bytes may be looked at twice
	switch {
	case n >= 8:
		for i := 0; i+8 <= n; i += 8 {
			seen |= binary.LittleEndian.Uint64(b[i:])
		}
		seen |= binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		seen = uint64(binary.LittleEndian.Uint32(b) | binary.LittleEndian.Uint32(b[n-4:]))
	default:
		for _, c := range b {
			seen |= uint64(c)
		}
	}
	return seen&highBits == 0 || utf8.Valid(b)
}

// bodyEnd returns the length of a document without its last byte, -1 if its length or its last byte is wrong.
func bodyEnd(b []byte) int {
	n := len(b)
	if n < 5 || int(int32(binary.LittleEndian.Uint32(b))) != n || b[n-1] != 0 {
		return -1
	}
	return n - 1
}

// documentBody is bodyEnd that says what is wrong.
func documentBody(b []byte) (end int, err error) {
	if end = bodyEnd(b); end < 0 {
		return 0, bodyError(b)
	}
	return end, nil
}

func bodyError(b []byte) error {
	if len(b) < 5 {
		return malformedf("a document of %d bytes is too short", len(b))
	}
	if n := int(int32(binary.LittleEndian.Uint32(b))); n != len(b) {
		return malformedf("the document states a length of %d bytes and has %d", n, len(b))
	}
	return malformed("the document does not end in a zero byte")
}

// valueError says why valueSize(t, b) is -1.
func valueError(t Type, b []byte) error {
	if !t.IsValid() {
		return malformedf("unknown type 0x%02x", byte(t))
	}
	return malformedf("the %v is cut off or states a wrong length", t)
}

var (
	errKeyEnd  = malformed("a key has no end")
	errKeyText = malformed("a key is not UTF-8")
	errText    = malformed("the text is not UTF-8")
)
