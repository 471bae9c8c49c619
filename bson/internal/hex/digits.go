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
	if len(s) != 2*len(dst) {
		return false
	}
	var bad byte
	for i := range dst {
		hi, lo := Values[s[2*i]]-1, Values[s[2*i+1]]-1 // 0xFF for what is no digit
		dst[i] = hi<<4 | lo&15
		bad |= hi | lo
	}
	return bad < 16
}

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
