// Package hashed computes the numbers that hashed indexes keep, and shard keys are split by, in place of values.
package hashed

import (
	"crypto/md5" //nolint:gosec // the format of the index asks for it; nothing relies on it for secrecy
	"encoding/binary"
	"hash"
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
)

// Sum returns the hash of a value: the first eight bytes of an MD5 over the seed 0 and the value. Numbers count as whole ones of
// 64 bits, whatever their type.
func Sum(v bson.RawValue) int64 {
	h := md5.New() //nolint:gosec // see above
	write(h, uint32(0))
	element(h, "", false, v)
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)))
}

func write(h hash.Hash, number any) { _ = binary.Write(h, binary.LittleEndian, number) }

// element adds one value, and its name if it has one: the class of its type, then its content.
func element(h hash.Hash, name string, named bool, v bson.RawValue) {
	write(h, class(v.Type))
	if named {
		_, _ = h.Write(append([]byte(name), 0))
	}
	switch {
	case number.Is(v.Type):
		write(h, truncate(v))
	case v.Type == bsontype.EmbeddedDocument, v.Type == bsontype.Array:
		document(h, bson.Raw(v.Value))
	case v.Type == bsontype.CodeWithScope:
		length := int(binary.LittleEndian.Uint32(v.Value[4:]))
		_, _ = h.Write(v.Value[8 : 8+length])
		document(h, bson.Raw(v.Value[8+length:]))
	default:
		_, _ = h.Write(v.Value)
	}
}

func document(h hash.Hash, d bson.Raw) {
	for name, v := range d.All() {
		element(h, name, true, v)
	}
	write(h, uint32(0)) // the end of a document is an element without a name
}

// truncate returns a number without its fraction, within 64 bits. A value that is not a number is 0.
func truncate(v bson.RawValue) int64 {
	if f := number.Float64(v); v.Type == bsontype.Double || v.Type == bsontype.Decimal128 {
		switch {
		case math.IsNaN(f):
			return 0
		case f >= math.MaxInt64:
			return math.MaxInt64
		case f <= math.MinInt64:
			return math.MinInt64
		case v.Type == bsontype.Double:
			return int64(f)
		}
	}
	n, _ := number.TruncateInt64(v)
	return n
}

// class returns the number that orders the types: types that compare with one another have the same one.
func class(t bsontype.Type) int32 {
	switch t {
	case bsontype.MinKey:
		return -1
	case bsontype.MaxKey:
		return 127
	case bsontype.Null:
		return 5
	case bsontype.Double, bsontype.Int32, bsontype.Int64, bsontype.Decimal128:
		return 10
	case bsontype.String, bsontype.Symbol:
		return 15
	case bsontype.EmbeddedDocument:
		return 20
	case bsontype.Array:
		return 25
	case bsontype.Binary:
		return 30
	case bsontype.ObjectID:
		return 35
	case bsontype.Boolean:
		return 40
	case bsontype.DateTime:
		return 45
	case bsontype.Timestamp:
		return 47
	case bsontype.Regex:
		return 50
	case bsontype.DBPointer:
		return 55
	case bsontype.JavaScript:
		return 60
	case bsontype.CodeWithScope:
		return 65
	}
	return 0
}
