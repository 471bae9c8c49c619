package changestream

import (
	"bytes"
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
)

// The marks that begin a value of each type in a key string, and the mark after the last value.
const (
	markEnd       = 0x04
	markUndefined = 0x0F
	markNull      = 0x14
	markZero      = 0x29
	markPositive  = 0x2B // a one-byte integer; the marks after it are for longer ones
	markFraction  = 0x33 // a number with a fraction, which the server encodes differently
	markString    = 0x3C
	markObject    = 0x46
	markArray     = 0x50
	markBinary    = 0x5A
	markObjectID  = 0x64
	markFalse     = 0x6E
	markTrue      = 0x6F
	markDate      = 0x78
	markTimestamp = 0x82
	markOther     = 0x8C
)

// appendKey appends a value in the format of the server's KeyString.
func appendKey(dst []byte, v bson.RawValue) []byte {
	switch v.Type {
	case bsontype.EmbeddedDocument:
		dst = append(dst, markObject)
		for name, e := range bson.Raw(v.Value).All() {
			dst = append(dst, markOf(e))
			dst = appendKey(append(append(dst, name...), 0), e)
		}
		return append(dst, 0)
	case bsontype.Array:
		dst = append(dst, markArray)
		for _, e := range bson.Raw(v.Value).All() {
			dst = appendKey(dst, e)
		}
		return append(dst, 0)
	case bsontype.String:
		s, _ := v.StringOK()
		return append(append(append(dst, markString), bytes.ReplaceAll([]byte(s), []byte{0}, []byte{0, 0xFF})...), 0)
	case bsontype.Binary:
		subtype, data, _ := v.BinaryOK()
		return append(append(dst, markBinary, byte(min(len(data), 255)), subtype), data...)
	case bsontype.ObjectID:
		return append(append(dst, markObjectID), v.Value...)
	case bsontype.Boolean:
		return append(dst, markOf(v))
	case bsontype.DateTime:
		ms, _ := v.DateTimeOK()
		return binary.BigEndian.AppendUint64(append(dst, markDate), uint64(ms)^1<<63)
	case bsontype.Timestamp:
		t, i, _ := v.TimestampOK()
		return binary.BigEndian.AppendUint64(append(dst, markTimestamp), uint64(t)<<32|uint64(i))
	case bsontype.Null, bsontype.Undefined:
		return append(dst, markOf(v))
	}
	if n, whole := number.ExactInt64(v); number.Is(v.Type) && whole && n>>62 == n>>63 {
		return appendInteger(dst, n)
	}
	return compare.AppendKey(append(dst, markOf(v)), v, nil)
}

// appendInteger writes a number in as few bytes as possible. The last bit says that no fraction follows.
func appendInteger(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, markZero)
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(max(n, -n))<<1)
	digits := bytes.TrimLeft(b[:], "\x00")
	if n > 0 {
		return append(append(dst, byte(markPositive+len(digits)-1)), digits...)
	}
	dst = append(dst, byte(markZero-len(digits)))
	for _, d := range digits {
		dst = append(dst, ^d)
	}
	return dst
}

func markOf(v bson.RawValue) byte {
	switch v.Type {
	case bsontype.EmbeddedDocument:
		return markObject
	case bsontype.Array:
		return markArray
	case bsontype.String:
		return markString
	case bsontype.Binary:
		return markBinary
	case bsontype.ObjectID:
		return markObjectID
	case bsontype.Boolean:
		if b, _ := v.BooleanOK(); b {
			return markTrue
		}
		return markFalse
	case bsontype.DateTime:
		return markDate
	case bsontype.Timestamp:
		return markTimestamp
	case bsontype.Null:
		return markNull
	case bsontype.Undefined:
		return markUndefined
	}
	if n, whole := number.ExactInt64(v); number.Is(v.Type) && whole && n>>62 == n>>63 {
		return appendInteger(nil, n)[0]
	}
	if number.Is(v.Type) {
		return markFraction
	}
	return markOther
}
