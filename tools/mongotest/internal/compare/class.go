package compare

import "github.com/specdrivers/onion/generated/bsontype"

// Class is the rank of a type. Types of one class compare by value, others by class.
type Class uint8

// The classes, in ascending order. A missing value and undefined share the place after MinKey.
const (
	ClassMinKey Class = iota + 0x10
	ClassUndefined
	ClassNull
	ClassNumber
	ClassString
	ClassDocument
	ClassArray
	ClassBinary
	ClassObjectID
	ClassBoolean
	ClassDateTime
	ClassTimestamp
	ClassRegex
	ClassDBPointer
	ClassJavaScript
	ClassCodeWithScope
	ClassMaxKey
)

// ClassOf ranks a type.
func ClassOf(t bsontype.Type) Class {
	switch t {
	case bsontype.MinKey:
		return ClassMinKey
	case bsontype.Null:
		return ClassNull
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
		return ClassNumber
	case bsontype.String, bsontype.Symbol:
		return ClassString
	case bsontype.EmbeddedDocument:
		return ClassDocument
	case bsontype.Array:
		return ClassArray
	case bsontype.Binary:
		return ClassBinary
	case bsontype.ObjectID:
		return ClassObjectID
	case bsontype.Boolean:
		return ClassBoolean
	case bsontype.DateTime:
		return ClassDateTime
	case bsontype.Timestamp:
		return ClassTimestamp
	case bsontype.Regex:
		return ClassRegex
	case bsontype.DBPointer:
		return ClassDBPointer
	case bsontype.JavaScript:
		return ClassJavaScript
	case bsontype.CodeWithScope:
		return ClassCodeWithScope
	case bsontype.MaxKey:
		return ClassMaxKey
	}
	return ClassUndefined
}
