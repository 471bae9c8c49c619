package main

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// digits are those of an ObjectID.
const digits = "57e193d7a9cc81b4027498b5"

// packDigits packs the values of the 24 digits of s into bytes, and checks nothing.
//
//go:noinline
func packDigits(s string) (id [12]byte) {
	b := []byte(s)[:24]
	binary.LittleEndian.PutUint32(id[:], packEight(binary.LittleEndian.Uint64(b)))
	binary.LittleEndian.PutUint32(id[4:], packEight(binary.LittleEndian.Uint64(b[8:])))
	binary.LittleEndian.PutUint32(id[8:], packEight(binary.LittleEndian.Uint64(b[16:])))
	return id
}

func packEight(w uint64) uint32 {
	const ones = 0x0101010101010101
	w = (w + w>>6&ones*9) & (0x0F * ones)
	w = w * 0x1001 >> 8 & 0x00FF00FF00FF00FF
	w = (w | w>>8) & 0x0000FFFF0000FFFF
	return uint32(w | w>>16)
}

// walkByHand returns a walk of doc that makes no keys and no values, and checks nothing: it only finds where each element is.
func walkByHand(doc bson.Raw) func() {
	room := append(slices.Clone(doc), make([]byte, 8)...) // so that it may read words behind the end
	return func() { Sink += countByHand(room) }
}

func countByHand(b []byte) (n int) {
	i := 4
	for b[i] != 0 {
		t, k := b[i], i+1
		if z := zeroBits(b, k); z != 0 {
			k += bits.TrailingZeros64(z) >> 3
		} else if k += 8; b[k] != 0 {
			k = zeroByte(b, k)
		}
		n++
		value := b[k+1:]
		switch size := fixedSizes[t]; {
		case size >= 0:
			i = k + 1 + int(size)
		case t == 0x03 || t == 0x04:
			n += countByHand(value)
			i = k + 1 + int(binary.LittleEndian.Uint32(value))
		case t == 0x05:
			i = k + 6 + int(binary.LittleEndian.Uint32(value))
		case t == 0x0B:
			i = zeroByte(b, zeroByte(b, k+1)+1) + 1
		case t == 0x0C:
			i = k + 17 + int(binary.LittleEndian.Uint32(value))
		case t == 0x0F:
			i = k + 1 + int(binary.LittleEndian.Uint32(value))
		default: // a text
			i = k + 5 + int(binary.LittleEndian.Uint32(value))
		}
	}
	return n
}

// fixedSizes has the sizes of values by type, -1 for those that vary.
var fixedSizes = func() (sizes [256]int8) {
	for i := range sizes {
		sizes[i] = int8(bsontype.Type(i).FixedSize())
	}
	return sizes
}()

// zeroBits has bits set if one of the eight bytes from i on is zero. The lowest bit belongs to the first such byte.
func zeroBits(b []byte, i int) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64(b[i:])
	return (w - low) &^ w & high
}

// zeroByte returns where the first zero byte at or after i is.
func zeroByte(b []byte, i int) int {
	for b[i] != 0 {
		if z := zeroBits(b, i); z != 0 {
			return i + bits.TrailingZeros64(z)>>3
		}
		i += 8
	}
	return i
}
