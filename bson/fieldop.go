package bson

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
