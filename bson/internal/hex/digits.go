package hex

import (
	"encoding/binary"
	"strings"
)

// Digits are the hexadecimal digits in lower case.
const Digits = "0123456789abcdef"

// Values maps a hexadecimal digit to its value plus one, and every other byte to zero.
var Values = [256]byte{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16,
	'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

// Append appends the lower-case hexadecimal digits of src to dst.
func Append(dst, src []byte) []byte {
	for _, b := range src {
		dst = append(dst, Digits[b>>4], Digits[b&15])
	}
	return dst
}

// Decode fills dst from s and reports whether s is exactly twice as long and holds nothing but hexadecimal digits.
func Decode[T string | []byte](dst []byte, s T) bool {
	return len(s) == 2*len(dst) && decode(dst, []byte(s)) // without a copy, because decode only reads
}

func decode(dst, src []byte) bool {
	right := uint64(highBits)
	for ; len(src) >= 8 && len(dst) >= 4; src, dst = src[8:], dst[4:] {
		values, r := DecodeEight(binary.LittleEndian.Uint64(src))
		binary.LittleEndian.PutUint32(dst, Pack(values))
		right &= r
	}
	bad := byte(0)
	for i := range dst {
		high, low := Values[src[2*i]]-1, Values[src[2*i+1]]-1
		dst[i] = high<<4 | low
		bad |= high | low
	}
	return AreDigits(right) && bad < 16
}

// The lowest and the highest bit of each of eight bytes.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// DecodeEight returns the values of the eight hexadecimal digits of w, each in the byte of its digit. AreDigits(right) says whether all
// eight are digits. The results of several words can be combined with & and asked once. All eight digits go through the same
// few steps, without a table.
func DecodeEight(w uint64) (values, right uint64) {
	values = (w + w>>6&lowBits*9) & (0x0F * lowBits) // letters have bit 6, and their low halves count from 1
	lower := w | 0x20*lowBits
	// Adding 0x80-c sets the high bit of the bytes that are c or more.
	digit := (w + (0x80-'0')*lowBits) ^ (w + (0x80-'9'-1)*lowBits)
	letter := (lower + (0x80-'a')*lowBits) ^ (lower + (0x80-'f'-1)*lowBits)
	return values, (digit | letter) &^ w // a byte above 127 may carry into its neighbours, but is itself not right
}

// AreDigits reports whether a result of DecodeEight says that all eight bytes are digits.
func AreDigits(right uint64) bool { return right&highBits == highBits }

// Pack joins the eight values that DecodeEight returned into four bytes, the first one lowest.
func Pack(values uint64) uint32 {
	values = values * 0x1001 >> 8 & 0x00FF00FF00FF00FF // every second value, plus sixteen times the value before it
	values = (values | values>>8) & 0x0000FFFF0000FFFF
	return uint32(values | values>>16)
}

// DecodeUUID fills dst, 16 bytes, from a UUID with or without hyphens and prefix "urn:uuid:", and reports whether s is one.
func DecodeUUID(dst []byte, s string) bool {
	if len(s) > 36 {
		s = strings.TrimPrefix(s, "urn:uuid:")
	}
	return len(s) == 32 && Decode(dst, s) || DecodeHyphenated(dst, s)
}

// DecodeHyphenated decodes the 36 characters of RFC 4122 to u, which has 16 bytes, and reports whether s is of that form.
func DecodeHyphenated(u []byte, s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		Decode(u[0:4], s[0:8]) && Decode(u[4:6], s[9:13]) && Decode(u[6:8], s[14:18]) &&
		Decode(u[8:10], s[19:23]) && Decode(u[10:16], s[24:36])
}
