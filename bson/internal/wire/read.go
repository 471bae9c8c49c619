package wire

import (
	"encoding/binary"
	"math"

	"github.com/specdrivers/onion/generated/bsontype"
)

// Text returns the bytes of an encoded string that ValueSize has accepted.
func Text(b []byte) []byte { return b[4 : len(b)-1] }

// SplitBinary splits an encoded binary that ValueSize has accepted.
func SplitBinary(b []byte) (subtype byte, data []byte, ok bool) {
	subtype, data = b[4], b[5:]
	if subtype == bsontype.BinaryOld {
		if len(data) < 4 || int(int32(binary.LittleEndian.Uint32(data))) != len(data)-4 {
			return subtype, nil, false
		}
		data = data[4:]
	}
	return subtype, data, true
}

// SplitCodeWithScope splits an encoded value that ValueSize has accepted.
func SplitCodeWithScope(b []byte) (code, scope []byte, err error) {
	n := ValueSize(bsontype.String, b[4:])
	if n < 0 {
		return nil, nil, malformedError("the code of a javascriptWithScope states a wrong length")
	}
	code, scope = Text(b[4:4+n]), b[4+n:]
	_, err = Body(scope)
	return code, scope, err
}

// ToInteger returns f as an int64 if that loses nothing. 2^63 is the first double above the range.
func ToInteger(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < -1<<63 || f >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Int32 reads a 32-bit integer.
func Int32(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }

// Int64 reads a 64-bit integer.
func Int64(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

// Double reads a double.
func Double(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// Bool reads a boolean, which is one byte of 0 or 1.
func Bool(b []byte) (bool, error) {
	if b[0] > 1 {
		return false, ErrBoolean
	}
	return b[0] == 1, nil
}
