package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// ValidText reports whether b is UTF-8; most text is ASCII, which takes eight bytes at a time.
func ValidText(b []byte) bool {
	var seen uint64
	if len(b) < 8 {
		seen = ShortWord(b)
	} else {
		seen = SeenBytes(b)
	}
	return seen&HighBits == 0 || utf8.Valid(b)
}

// ValidString is ValidText for strings.
func ValidString(s string) bool { return ValidText(AliasBytes(s)) }

// AppendChecked appends a string and reports whether it is UTF-8. It checks a short string while it copies it. Arrays of a fixed
// size save checks of bounds.
func AppendChecked(dst []byte, v string) (out []byte, valid bool) {
	n, at := len(v), len(dst)
	if cap(dst)-at < n+4+WordRoom {
		return appendCheckedToMore(dst, v)
	}
	out = dst[:at+n+5]
	head, seen := (*[4 + WordRoom]byte)(dst[at:at+4+WordRoom]), uint64(0)
	from := []byte(v) // without a copy, because nothing changes from
	binary.LittleEndian.PutUint32(head[:], uint32(n+1))
	switch {
	case n > 16:
		seen = CopyText(dst[at+4:at+n+4+WordRoom], from)
		out[at+n+4] = 0
	case n >= 8:
		tail := (*[9]byte)(dst[at+n-4 : at+n+5])
		a, b := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[n-8:])
		binary.LittleEndian.PutUint64(head[4:], a)
		binary.LittleEndian.PutUint64(tail[:], b)
		tail[8] = 0
		seen = a | b
	case n >= 4:
		tail := (*[5]byte)(dst[at+n : at+n+5])
		a, b := binary.LittleEndian.Uint32(from), binary.LittleEndian.Uint32(from[n-4:])
		binary.LittleEndian.PutUint32(head[4:], a)
		binary.LittleEndian.PutUint32(tail[:], b)
		tail[4] = 0
		seen = uint64(a | b)
	case n > 0:
		a, b, c := from[0], from[n/2], from[n-1]
		head[4], head[4+n/2], head[3+n], head[4+n] = a, b, c, 0
		seen = uint64(a | b | c)
	default:
		head[4] = 0
	}
	return out, seen&HighBits == 0 || utf8.ValidString(v)
}

// appendCheckedToMore makes room for a string. It is a function of its own so that AppendChecked keeps its values in registers.
func appendCheckedToMore(dst []byte, v string) (out []byte, valid bool) {
	return AppendChecked(slices.Grow(dst, len(v)+4+WordRoom), v)
}

// Clone returns a copy. The compiler knows a copy right after make, and does not clear the memory first.
func Clone(b []byte) []byte {
	c := make([]byte, len(b))
	copy(c, b)
	return c
}

// PlainKeyEnd is KeyEnd for keys that are ASCII, as most are, and that do not end too close to the end of b. It returns -1 for
// others. It is small enough to be inlined into its callers' loops.
func PlainKeyEnd(b []byte, i int) int {
	for ; i+8 < len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		z := (w - LowBits) &^ w & HighBits
		if w&(z-1)&HighBits != 0 { // of the bytes before the zero: where z has bits, w has none
			break
		}
		if z != 0 {
			return i + bits.TrailingZeros64(z)>>3
		}
		if b[i+8] == 0 {
			return i + 8
		}
	}
	return -1
}

// TextKeyEnd is a KeyEnd that also reports whether the key is UTF-8. Callers try PlainKeyEnd first.
func TextKeyEnd(b []byte, i int) (end int, valid bool) {
	if end = KeyEnd(b, i); end < 0 {
		return end, false
	}
	return end, ValidText(b[i:end])
}
