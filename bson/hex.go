package bson

const hexDigits = "0123456789abcdef"

// hexValues maps a hexadecimal digit to its value plus one, and every other byte to zero.
var hexValues = [256]byte{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16,
	'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

// appendHex appends the lower-case hexadecimal digits of src to dst.
func appendHex(dst, src []byte) []byte {
	for _, b := range src {
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// decodeHex fills dst from s and reports whether s is exactly twice as long and holds nothing but hexadecimal digits.
func decodeHex[T string | []byte](dst []byte, s T) bool {
	if len(s) != 2*len(dst) {
		return false
	}
	var bad byte
	for i := range dst {
		hi, lo := hexValues[s[2*i]]-1, hexValues[s[2*i+1]]-1 // 0xFF for what is no digit
		dst[i] = hi<<4 | lo&15
		bad |= hi | lo
	}
	return bad < 16
}

// clip shortens a text that an error message quotes.
func clip(s string) string {
	const limit = 64
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "..."
}
