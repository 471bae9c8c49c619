package bson

import (
	"reflect"
	"time"

	"github.com/specdrivers/onion/generated/bsontype"
)

// fieldOp names the kinds of struct fields that are encoded and decoded in line instead of by calling their codec: calls cost
// more than what they would do.
type fieldOp uint8

const (
	opCodec fieldOp = iota
	opString
	opInt32
	opInt64
	opFloat64
	opBool
	opObjectID
	opTime
)

// opOf returns the operation for a codec, and the BSON type that belongs to it. custom says that the type, or a method of it,
// decides how it is encoded or decoded.
func opOf(c *codec, custom bool) (fieldOp, Type) {
	if c.user {
		return opCodec, 0
	}
	switch c.typ {
	case reflect.TypeFor[ObjectID]():
		return opObjectID, bsontype.ObjectID
	case reflect.TypeFor[time.Time]():
		return opTime, bsontype.DateTime
	}
	if custom {
		return opCodec, 0
	}
	switch c.typ.Kind() {
	case reflect.String:
		return opString, bsontype.String
	case reflect.Int32:
		return opInt32, bsontype.Int32
	case reflect.Int64:
		return opInt64, bsontype.Int64
	case reflect.Float64:
		return opFloat64, bsontype.Double
	case reflect.Bool:
		return opBool, bsontype.Boolean
	}
	return opCodec, 0
}
