package bson

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// The functions of this file and of static_decode.go are what the methods consist of that tools/bsongen writes. They do
// what Marshal and Unmarshal do with default options, for types that are known when the program is compiled.

// AppendText appends the value of a string: its length, its bytes and a zero byte. Unlike AppendStringElement it checks
// that the text is UTF-8.
func AppendText(dst []byte, s string) ([]byte, error) {
	out, valid := wire.AppendChecked(dst, s)
	if !valid {
		return dst, errGoText
	}
	return out, nil
}

// AppendBool appends the value of a boolean.
func AppendBool(dst []byte, v bool) []byte { return wire.AppendBoolean(dst, v) }

// AppendBinary appends the value of binary data.
func AppendBinary(dst []byte, subtype byte, data []byte) []byte {
	return wire.AppendBinary(dst, subtype, data)
}

// AppendMapHeader appends a type byte and the key of a map, which is checked to be UTF-8 without a zero byte.
func AppendMapHeader(dst []byte, t bsontype.Type, key string) ([]byte, error) {
	if strings.IndexByte(key, 0) >= 0 {
		return dst, errZeroByte
	}
	if !wire.ValidString(key) {
		return dst, errGoText
	}
	return AppendHeader(dst, t, key), nil
}

// Signed returns an unsigned integer as the signed one that BSON has, or an error if it is too large.
func Signed[T uint | uint32 | uint64](v T) (int64, error) {
	if uint64(v) > math.MaxInt64 {
		return 0, fmt.Errorf("%d does not fit into 64 bits with a sign", v)
	}
	return int64(v), nil
}

// IsEmpty reports whether omitempty leaves out the value that pointer, which is not nil, points to.
func IsEmpty(pointer any) bool {
	c := codecOf(reflect.TypeOf(pointer).Elem(), 0)
	return c.empty(c, marshalFlags(nil), dataWord(pointer))
}

// IsZero reports whether omitzero leaves out the value that pointer, which is not nil, points to.
func IsZero(pointer any) bool {
	return codecOf(reflect.TypeOf(pointer).Elem(), 0).isZero(dataWord(pointer))
}

// EncodeErrorIn returns err as an [*EncodeError] whose path begins with the key of a field or map, or the index in an
// array, where it occurred.
func EncodeErrorIn[K string | int](key K, err error) error {
	return encodeErrorUnder(fmt.Sprint(key), err)
}
