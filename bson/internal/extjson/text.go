package extjson

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/core/form"
)

const spaces = 0x20 * wire.LowBits

// findEscape finds the first byte of w that a JSON string must escape: a quote, a backslash or a control character. Of the
// result, the lowest high bit of a byte marks that byte. Bits above it mean nothing, nor do the low bits of any byte.
func findEscape(w uint64) uint64 {
	// Flipping bit 1 puts the quote, 0x22, right after the control characters, which stay below 0x20.
	control := (w ^ 0x02*wire.LowBits) - 0x21*wire.LowBits
	backslash := (w ^ 0x5C*wire.LowBits) - wire.LowBits
	return (control | backslash) &^ w
}

// ScanText looks for the end of plain text in a JSON string. It returns the index of the first quote, backslash or control
// character in b from i on, or len(b) if there is none. If the text before it is not all ASCII, seen has a high bit set in
// one of its bytes.
func ScanText(b []byte, i int) (end int, seen uint64) {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if stop := findEscape(w) & wire.HighBits; stop != 0 {
			n := bits.TrailingZeros64(stop) >> 3
			return i + n, seen | w&(1<<(8*n)-1)
		}
		seen |= w
	}
	for ; i < len(b); i++ {
		c := b[i]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		seen |= uint64(c)
	}
	return i, seen
}

// AppendString appends text as a JSON string. It reports false if text is not UTF-8.
func AppendString(dst, text []byte) ([]byte, bool) {
	n, at := len(text), len(dst)
	if cap(dst)-at < n+2+wire.WordRoom {
		dst = slices.Grow(dst, n+2+wire.WordRoom)
	}
	to := dst[at : at+n+2+wire.WordRoom]
	to[0] = '"'
	seen, stop := uint64(0), uint64(0)
	rest, to := text, to[1:]
	for ; len(rest) >= 32 && len(to) >= 32; rest, to = rest[32:], to[32:] {
		a, b := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		c, d := binary.LittleEndian.Uint64(rest[16:]), binary.LittleEndian.Uint64(rest[24:])
		seen |= a | b | c | d
		stop |= findEscape(a) | findEscape(b) | findEscape(c) | findEscape(d)
		binary.LittleEndian.PutUint64(to, a)
		binary.LittleEndian.PutUint64(to[8:], b)
		binary.LittleEndian.PutUint64(to[16:], c)
		binary.LittleEndian.PutUint64(to[24:], d)
	}
	for ; len(rest) >= 8 && len(to) >= 8; rest, to = rest[8:], to[8:] {
		w := binary.LittleEndian.Uint64(rest)
		seen |= w
		stop |= findEscape(w)
		binary.LittleEndian.PutUint64(to, w)
	}
	w := wire.ShortWord(rest)
	binary.LittleEndian.PutUint64(to, w)
	if (stop|findEscape(w|spaces<<(8*uint(len(rest))&63)))&wire.HighBits != 0 {
		return appendEscaped(dst, text)
	}
	to[len(rest)] = '"'
	return dst[:at+n+2], (seen|w)&wire.HighBits == 0 || utf8.Valid(text)
}

// appendEscaped is AppendString for text that needs escapes.
func appendEscaped(dst, text []byte) ([]byte, bool) {
	dst = append(dst, '"')
	start, all := 0, uint64(0)
	for {
		end, seen := ScanText(text, start)
		all |= seen
		dst = append(dst, text[start:end]...)
		if end == len(text) {
			break
		}
		dst = appendJSONEscape(dst, text[end])
		start = end + 1
	}
	return append(dst, '"'), all&wire.HighBits == 0 || utf8.Valid(text)
}

func appendJSONEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	default:
		return append(dst, '\\', 'u', '0', '0', hex.Digits[c>>4], hex.Digits[c&15])
	}
}

// AppendObjectID appends the twelve bytes of an ObjectID.
func AppendObjectID(dst, id []byte) []byte {
	dst = append(dst, `{"`+form.ObjectID+`":"`...)
	return append(hex.Append(dst, id), `"}`...)
}
