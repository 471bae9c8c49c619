package bson

// The type words of what documents decode into most often.
var (
	wordString   = typeWordOf("")
	wordInt32    = typeWordOf(int32(0))
	wordInt64    = typeWordOf(int64(0))
	wordFloat64  = typeWordOf(float64(0))
	wordDateTime = typeWordOf(DateTime(0))
	wordObjectID = typeWordOf(ObjectID{})
	wordD        = typeWordOf(D(nil))
	wordA        = typeWordOf(A(nil))

	wordBinary        = typeWordOf(Binary{})
	wordRegex         = typeWordOf(Regex{})
	wordJavaScript    = typeWordOf(JavaScript(""))
	wordCodeWithScope = typeWordOf(CodeWithScope{})
	wordTimestamp     = typeWordOf(Timestamp{})
	wordDecimal128    = typeWordOf(Decimal128{})
)
