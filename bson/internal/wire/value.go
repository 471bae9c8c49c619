package wire

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/bsontype"
)

// AppendIndexHeader appends the type byte and the key of the i-th element of an array.
func AppendIndexHeader(dst []byte, t byte, i int) []byte {
	if uint(i) < 10 {
		return append(dst, t, '0'+byte(i), 0)
	}
	dst = append(dst, t)
	dst = strconv.AppendInt(dst, int64(i), 10)
	return append(dst, 0)
}

// AppendInt32 appends a 32-bit integer.
func AppendInt32(dst []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(v)) }

// AppendInt64 appends a 64-bit integer.
func AppendInt64(dst []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(v)) }

// AppendDouble appends a double.
func AppendDouble(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// AppendTimestamp appends a timestamp: seconds t, and the counter i within the second.
func AppendTimestamp(dst []byte, t, i uint32) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(t)<<32|uint64(i))
}

// AppendUint128 appends 128 bits, the low ones first.
func AppendUint128(dst []byte, h, l uint64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, l)
	return binary.LittleEndian.AppendUint64(dst, h)
}

// AppendBoolean appends a boolean.
func AppendBoolean(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// AppendString appends a string, which it does not check.
func AppendString(dst []byte, v string) []byte {
	dst = AppendInt32(dst, int32(len(v)+1))
	dst = append(dst, v...)
	return append(dst, 0)
}

// AppendRawDocument appends an encoded document; an empty slice is the empty document.
func AppendRawDocument(dst, v []byte) []byte {
	if len(v) == 0 {
		return append(dst, 5, 0, 0, 0, 0)
	}
	return append(dst, v...)
}

// AppendBinary appends binary data. Subtype 2 has a second length inside.
func AppendBinary(dst []byte, subtype byte, data []byte) []byte {
	n := int32(len(data))
	if subtype == bsontype.BinaryOld {
		dst = AppendInt32(append(AppendInt32(dst, n+4), subtype), n)
		return append(dst, data...)
	}
	dst = append(AppendInt32(dst, n), subtype)
	return append(dst, data...)
}

// AppendRegex appends a regular expression with its options in alphabetical order.
func AppendRegex(dst []byte, pattern, options string) []byte {
	dst = append(append(dst, pattern...), 0)
	start := len(dst)
	dst = append(dst, options...)
	SortBytes(dst[start:])
	return append(dst, 0)
}

// SortBytes sorts in place. Options are a handful of letters, so it uses insertion sort. It leaves text alone that is
// not ASCII: no option is, and sorting its bytes would break it.
func SortBytes(b []byte) {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return
		}
	}
	for i := 1; i < len(b); i++ {
		for j := i; j > 0 && b[j] < b[j-1]; j-- {
			b[j], b[j-1] = b[j-1], b[j]
		}
	}
}

// AppendCodeWithScope appends JavaScript code with its scope.
func AppendCodeWithScope(dst []byte, code string, scope []byte) []byte {
	start := len(dst)
	dst = AppendString(append(dst, 0, 0, 0, 0), code)
	dst = AppendRawDocument(dst, scope)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// PutLength writes the length of b into its first four bytes.
func PutLength(b []byte) { binary.LittleEndian.PutUint32(b, uint32(len(b))) }
