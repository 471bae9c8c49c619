package bson

// fieldOp names the kinds of struct fields that are encoded and decoded in line instead of by calling their codec: the calls
// would cost more than the work.
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
