package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// ValidText reports whether b is UTF-8; most text is ASCII, which takes eight bytes at a time.
func ValidText(b []byte) bool {
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
	return seen&HighBits == 0 || utf8.Valid(b)
}

// ValidString is validText for strings.
func ValidString(s string) bool { return ValidText(unsafe.Slice(unsafe.StringData(s), len(s))) }

// AppendChecked appends a string and reports whether it is UTF-8. Short ones are looked at while they are copied.
func AppendChecked(dst []byte, v string) (out []byte, valid bool) {
	n, at := len(v), len(dst)
	if cap(dst)-at < n+5 {
		dst = slices.Grow(dst, n+5)
	}
	dst = dst[:at+n+5]
	binary.LittleEndian.PutUint32(dst[at:], uint32(n+1))
	dst[at+4+n] = 0
	to, from := dst[at+4:at+4+n], unsafe.Slice(unsafe.StringData(v), n)
	var seen uint64
	switch {
	case n < 8:
		seen = CopyShort(to, from)
	case n <= 64:
		seen = CopyWords(to, from)
	default:
		copy(to, from)
		return dst, ValidText(from)
	}
	return dst, seen&HighBits == 0 || utf8.ValidString(v)
}

// CopyWords copies eight bytes or more and returns every byte or-ed. The last bytes may be copied twice.
func CopyWords(to, from []byte) uint64 {
	at := len(from) - 8
	seen := binary.LittleEndian.Uint64(from[at:])
	binary.LittleEndian.PutUint64(to[at:], seen)
	for i := 0; i < at; i += 8 {
		w := binary.LittleEndian.Uint64(from[i:])
		seen |= w
		binary.LittleEndian.PutUint64(to[i:], w)
	}
	return seen
}

// CopyShort is copyWords for seven bytes or fewer.
func CopyShort(to, from []byte) (seen uint64) {
	for i, c := range from {
		seen |= uint64(c)
		to[i] = c
	}
	return seen
}

// AliasString returns b as a string without copying it. The bytes must not change while the string is in use.
func AliasString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Clone returns a copy. Copying right after make is what the compiler knows how to do without clearing the memory first.
func Clone(b []byte) []byte {
	c := make([]byte, len(b))
	copy(c, b)
	return c
}

// TextKeyEnd is keyEnd that also reports whether the key is UTF-8.
func TextKeyEnd(b []byte, i int) (end int, valid bool) {
	start := i
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if z := (w - LowBits) &^ w & HighBits; z != 0 {
			shift := bits.TrailingZeros64(z)
			end = i + shift>>3
			if w&HighBits&(1<<shift-1) == 0 {
				return end, true // so were the words before, or the loop had ended
			}
			return end, utf8.Valid(b[start:end])
		}
		if w&HighBits != 0 {
			break
		}
	}
	if end = KeyEnd(b, i); end < 0 {
		return end, false
	}
	return end, ValidText(b[start:end])
}
