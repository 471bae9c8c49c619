package bson

import "github.com/specdrivers/onion/generated/bsontype"

// fieldOp names the kinds of struct fields that a struct's own loop encodes and decodes. A call of their codec would cost more
// than the work.
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

// typeOfOp holds the BSON type that belongs to an operation.
var typeOfOp = [...]Type{
	opCodec: 0, opString: bsontype.String, opInt32: bsontype.Int32, opInt64: bsontype.Int64, opFloat64: bsontype.Double,
	opBool: bsontype.Boolean, opObjectID: bsontype.ObjectID, opTime: bsontype.DateTime,
}
