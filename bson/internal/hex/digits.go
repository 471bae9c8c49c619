package hex

import "strings"

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
	bad := uint16(0)
	for ; len(src) >= 8 && len(dst) >= 4; src, dst = src[8:], dst[4:] {
		a, b := high[src[0]]|low[src[1]], high[src[2]]|low[src[3]]
		c, d := high[src[4]]|low[src[5]], high[src[6]]|low[src[7]]
		dst[0], dst[1], dst[2], dst[3] = byte(a), byte(b), byte(c), byte(d)
		bad |= a | b | c | d
	}
	for i := range dst {
		v := high[src[2*i]] | low[src[2*i+1]]
		dst[i] = byte(v)
		bad |= v
	}
	return bad < noDigit
}

// noDigit is what high and low say about a byte that is not a hexadecimal digit.
const noDigit = 0x100

// high and low are the values of the first and the second digit of a byte.
var high, low = func() (high, low [256]uint16) {
	for c, v := range Values {
		if v == 0 {
			high[c], low[c] = noDigit, noDigit
		} else {
			high[c], low[c] = uint16(v-1)<<4, uint16(v-1)
		}
	}
	return high, low
}()

// DecodeUUID fills dst, 16 bytes, from a UUID with or without hyphens and prefix "urn:uuid:", and reports whether s is one.
func DecodeUUID(dst []byte, s string) bool {
	if len(s) > 36 {
		s = strings.TrimPrefix(s, "urn:uuid:")
	}
	return len(s) == 32 && Decode(dst, s) || len(s) == 36 && decodeHyphenated(dst, s)
}

func decodeHyphenated(u []byte, s string) bool {
	return s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		Decode(u[0:4], s[0:8]) && Decode(u[4:6], s[9:13]) && Decode(u[6:8], s[14:18]) &&
		Decode(u[8:10], s[19:23]) && Decode(u[10:16], s[24:36])
}
