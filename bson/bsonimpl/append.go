package bsonimpl

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// AppendText appends the value of a string: its length, its bytes and a zero byte. It reports whether the text is UTF-8.
func AppendText(dst []byte, s string) (out []byte, valid bool) { return wire.AppendChecked(dst, s) }

// ErrText says that a text is not UTF-8.
var ErrText = wire.ErrGoText

// AppendBool appends the value of a boolean.
func AppendBool(dst []byte, v bool) []byte { return wire.AppendBoolean(dst, v) }

// AppendBinary appends the value of binary data.
func AppendBinary(dst []byte, subtype byte, data []byte) []byte {
	return wire.AppendBinary(dst, subtype, data)
}

// AppendMapHeader appends a type byte and the key of a map, which must be UTF-8 without a zero byte.
func AppendMapHeader(dst []byte, t bsontype.Type, key string) ([]byte, error) {
	if strings.IndexByte(key, 0) >= 0 {
		return dst, wire.ErrZeroByte
	}
	if !wire.ValidString(key) {
		return dst, wire.ErrGoText
	}
	return bson.AppendHeader(dst, t, key), nil
}

// Signed returns an unsigned integer as the signed one that BSON has, or an error if it is too large.
func Signed[T uint | uint32 | uint64](v T) (int64, error) {
	if uint64(v) > math.MaxInt64 {
		return 0, fmt.Errorf("%d does not fit into 64 bits with a sign", v)
	}
	return int64(v), nil
}

// EncodeErrorIn returns err as a [*bson.EncodeError] whose path begins with the key of a field or map, or the index in an
// array, where it occurred.
func EncodeErrorIn[K string | int](key K, err error) error {
	var e *bson.EncodeError
	if !errors.As(err, &e) || error(e) != err {
		e = &bson.EncodeError{Err: err}
	}
	e.Path = wire.JoinPath(fmt.Sprint(key), e.Path)
	return e
}
