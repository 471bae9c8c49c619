package wire

import (
	"encoding/binary"
	"math/bits"

	"github.com/specdrivers/onion/generated/bsontype"
)

// Elements returns the elements of a document, which are its bytes without the length and the last byte. It is nil if
// one of those two is wrong, and only then.
func Elements(b []byte) []byte {
	if end := BodyEnd(b); end >= 0 {
		return b[4:end]
	}
	return nil
}

// Next splits the first of the elements, and returns what follows it. rest is nil if there is no element, or if the
// first one is malformed, and only then.
//
// Where an element starts depends on the element before it, so a walk mostly waits. The processor does not wait for a
// branch that it predicts. Therefore branches, not a computed size, distinguish keys of eight bytes and the usual
// types. For the same reason Next looks at the first word of a key before it enters the loop of KeyEnd.
func Next(b []byte) (t bsontype.Type, key string, value, rest []byte) {
	if len(b) == 0 {
		return 0, "", nil, nil
	}
	k := 1
	if len(b) < 10 {
		k = KeyEnd(b, 1)
	} else {
		w := binary.LittleEndian.Uint64(b[1:])
		if z := (w - LowBits) &^ w & HighBits; z != 0 {
			k = 1 + bits.TrailingZeros64(z)>>3
		} else if b[9] == 0 {
			k = 9
		} else {
			k = KeyEnd(b, 9)
		}
	}
	if k < 0 {
		return 0, "", nil, nil
	}
	t, rest = bsontype.Type(b[0]), b[k+1:]
	n := 0
	switch t {
	case bsontype.String:
		n = textSize(rest)
	case bsontype.EmbeddedDocument, bsontype.Array:
		n = documentSize(rest)
	default:
		n = ValueSize(t, rest)
	}
	if n < 0 {
		return 0, "", nil, nil
	}
	return t, AliasString(b[1:k]), rest[:n:n], rest[n:]
}
