package extjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
)

const (
	quoteBytes     = 0x22 * wire.LowBits
	backslashBytes = 0x5C * wire.LowBits
	controlLimit   = 0x20 * wire.LowBits
)

// scanText returns the index of the first byte of b at or after i that cannot stand for itself in a JSON string: a
// quote, a backslash or a control character; or len(b). The high bit of some byte of seen is set if the bytes passed over
// are not all ASCII.
func scanText(b []byte, i int) (end int, seen uint64) {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, s := w^quoteBytes, w^backslashBytes
		// The lowest bit set is the first match; bits above it may be false.
		stop := ((w-controlLimit)&^w | (q-wire.LowBits)&^q | (s-wire.LowBits)&^s) & wire.HighBits
		if stop != 0 {
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
	dst = append(dst, '"')
	start, all := 0, uint64(0)
	for {
		end, seen := scanText(text, start)
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

func appendObjectID(dst, id []byte) []byte {
	dst = append(dst, `{"$oid":"`...)
	return append(hex.Append(dst, id), `"}`...)
}
