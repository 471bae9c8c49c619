package bson

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeBool(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return wire.AppendBoolean(dst, *toPointer[bool](p)), bsontype.Boolean, nil
}

func encodeFloat[T float32 | float64](_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return wire.AppendDouble(dst, float64(*toPointer[T](p))), bsontype.Double, nil
}

func encodeString(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendText(f, dst, bsontype.String, *toPointer[string](p))
}

// appendText appends a string after checking it.
func appendText(f encState, dst []byte, t Type, s string) ([]byte, Type, error) {
	out, valid := wire.AppendChecked(dst, s)
	if !valid && !f.has(encInvalidText) {
		return dst, 0, wire.ErrGoText
	}
	return out, t, nil
}

func encodeShort[T int8 | int16 | int32 | uint8 | uint16](_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return wire.AppendInt32(dst, int32(*toPointer[T](p))), bsontype.Int32, nil
}

func encodeInt(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	dst, t := appendInt(dst, int64(*toPointer[int](p)), true)
	return dst, t, nil
}

func encodeInt64(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	dst, t := appendInt(dst, *toPointer[int64](p), f.has(encMinSize))
	return dst, t, nil
}

func encodeUint[T uint | uint32 | uint64](_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendUint(dst, uint64(*toPointer[T](p)), f)
}

// appendInt appends an integer, in 32 bits if short and it fits.
func appendInt(dst []byte, v int64, short bool) ([]byte, Type) {
	if short && v == int64(int32(v)) {
		return wire.AppendInt32(dst, int32(v)), bsontype.Int32
	}
	return wire.AppendInt64(dst, v), bsontype.Int64
}

func appendUint(dst []byte, v uint64, f encState) ([]byte, Type, error) {
	if v > math.MaxInt64 {
		return dst, 0, fmt.Errorf("%d does not fit into 64 bits with a sign", v)
	}
	dst, t := appendInt(dst, int64(v), f.has(encMinSize))
	return dst, t, nil
}

func encodeTime(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return wire.AppendInt64(dst, toPointer[time.Time](p).UnixMilli()), bsontype.DateTime, nil
}

func encodeBytes(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	b := *toPointer[[]byte](p)
	if b == nil && !f.has(encNilBytesAsEmpty) {
		return dst, bsontype.Null, nil
	}
	return wire.AppendBinary(dst, 0, b), bsontype.Binary, nil
}

// encodeJSONNumber writes an integer where the number is one that fits, else a double.
func encodeJSONNumber(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	s := *toPointer[string](p)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		dst, t := appendInt(dst, i, f.has(encMinSize))
		return dst, t, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return dst, 0, fmt.Errorf("%q is not a number", s)
	}
	return wire.AppendDouble(dst, v), bsontype.Double, nil
}

func encodeRegex(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendCheckedRegex(f, dst, *toPointer[Regex](p))
}

func appendCheckedRegex(f encState, dst []byte, r Regex) ([]byte, Type, error) {
	if strings.IndexByte(r.Pattern, 0) >= 0 || strings.IndexByte(r.Options, 0) >= 0 {
		return dst, 0, wire.ErrZeroByte
	}
	if !f.has(encInvalidText) && !(wire.ValidString(r.Pattern) && wire.ValidString(r.Options)) {
		return dst, 0, wire.ErrGoText
	}
	return wire.AppendRegex(dst, r.Pattern, r.Options), bsontype.Regex, nil
}

func encodeDBPointer(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendDBPointer(f, dst, *toPointer[DBPointer](p))
}

func appendDBPointer(f encState, dst []byte, v DBPointer) ([]byte, Type, error) {
	dst, _, err := appendText(f, dst, bsontype.String, v.DB)
	if err != nil {
		return dst, 0, err
	}
	return append(dst, v.Pointer[:]...), bsontype.DBPointer, nil
}
