package wire

import "encoding/binary"

// ShortWord returns seven bytes or fewer as a word, the first one lowest. The rest of the word is zero.
func ShortWord(b []byte) uint64 {
	n := len(b)
	switch {
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*uint(n-4)&63)
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<(8*uint(n/2)&63) | uint64(b[n-1])<<(8*uint(n-1)&63)
	}
	return 0
}

// WordRoom is how many bytes CopyText, or a store of a ShortWord, may overwrite after the text.
const WordRoom = 8

// CopyText copies from to the start of to, which has WordRoom more bytes. seen is the bitwise OR of all the words
// copied: no high bit is set in it if the text is ASCII.
func CopyText(to, from []byte) (seen uint64) {
	n := len(from)
	if n < 8 {
		w := ShortWord(from)
		binary.LittleEndian.PutUint64(to, w)
		return w
	}
	if n > 256 {
		copy(to, from)
		return SeenBytes(from)
	}
	seen = binary.LittleEndian.Uint64(from[n-8:])
	binary.LittleEndian.PutUint64(to[n-8:], seen)
	for ; len(from) >= 32 && len(to) >= 32; from, to = from[32:], to[32:] {
		a, b := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
		c, d := binary.LittleEndian.Uint64(from[16:]), binary.LittleEndian.Uint64(from[24:])
		seen |= a | b | c | d
		binary.LittleEndian.PutUint64(to, a)
		binary.LittleEndian.PutUint64(to[8:], b)
		binary.LittleEndian.PutUint64(to[16:], c)
		binary.LittleEndian.PutUint64(to[24:], d)
	}
	for ; len(from) > 8 && len(to) > 8; from, to = from[8:], to[8:] {
		w := binary.LittleEndian.Uint64(from)
		seen |= w
		binary.LittleEndian.PutUint64(to, w)
	}
	return seen
}

// IsPlainWord reports whether the first n bytes of a word are ASCII without zero bytes. It may say no about bytes that
// are, but never says yes about bytes that are not.
func IsPlainWord(w uint64, n int) bool {
	w |= LowBits << (8 * uint(n) & 63)
	return ((w-LowBits)|w)&HighBits == 0
}

// ArePlainWords is PlainWord for all bytes of two words.
func ArePlainWords(a, b uint64) bool { return ((a-LowBits)|a|(b-LowBits)|b)&HighBits == 0 }

// CopyKey copies a key of eight bytes or more to the start of to, and reports about it what IsPlainWord reports about a
// word.
func CopyKey(to, key []byte) (plain bool) {
	n := len(key)
	w := binary.LittleEndian.Uint64(key[n-8:])
	binary.LittleEndian.PutUint64(to[n-8:], w)
	bad := (w - LowBits) | w // bit 7 of each byte is set by a zero byte or one above 127
	for ; len(key) > 8 && len(to) > 8; key, to = key[8:], to[8:] {
		w := binary.LittleEndian.Uint64(key)
		bad |= (w - LowBits) | w
		binary.LittleEndian.PutUint64(to, w)
	}
	return bad&HighBits == 0
}

// SeenBytes returns the bitwise OR of the words of b, as CopyText does. b has at least eight bytes. The last eight may
// count twice, which changes nothing.
func SeenBytes(b []byte) uint64 {
	seen := binary.LittleEndian.Uint64(b[len(b)-8:])
	for ; len(b) >= 32; b = b[32:] {
		seen |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
	}
	for ; len(b) >= 8; b = b[8:] {
		seen |= binary.LittleEndian.Uint64(b)
	}
	return seen
}
