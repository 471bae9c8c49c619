package bson

import (
	"math/big"
	"net/url"
	"reflect"
	"time"

	"github.com/specdrivers/onion/generated/bsontype"
)

// exactCodec handles one particular type, and takes precedence over the type's kind.
type exactCodec struct {
	encode encodeFunc
	decode decodeFunc
	empty  emptyFunc
}

// exactFor says how to handle t if t has a BSON form of its own. It is a switch because a map would refer to itself, through the
// scope of a CodeWithScope.
func exactFor(t reflect.Type) (e exactCodec, ok bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		e = exactCodec{encodeTime, decodeTime, emptyTime}
	case reflect.TypeFor[ObjectID]():
		e = exactCodec{encodeObjectID, decodeObjectID, emptyZero[ObjectID]}
	case reflect.TypeFor[Decimal128]():
		e = exactCodec{encodeDecimal128, decodeDecimal128, emptyZero[Decimal128]}
	case reflect.TypeFor[DateTime]():
		e = exactCodec{encodeDateTime, decodeDateTime, emptyZero[int64]}
	case reflect.TypeFor[Timestamp]():
		e = exactCodec{encodeTimestamp, decodeTimestamp, emptyZero[Timestamp]}
	case reflect.TypeFor[Binary]():
		e = exactCodec{encodeBinary, decodeAs(bsontype.Binary, (*decoder).binary), emptyBinary}
	case reflect.TypeFor[Regex]():
		e = exactCodec{encodeRegex, decodeAs(bsontype.Regex, (*decoder).regex), emptyZero[Regex]}
	case reflect.TypeFor[JavaScript]():
		e = exactCodec{encodeTextAs(bsontype.JavaScript), decodeTextOf(bsontype.JavaScript), emptyZero[string]}
	case reflect.TypeFor[Symbol]():
		e = exactCodec{encodeTextAs(bsontype.Symbol), decodeTextOf(bsontype.Symbol), emptyZero[string]}
	case reflect.TypeFor[CodeWithScope]():
		e = exactCodec{encodeCodeWithScope, decodeAs(bsontype.CodeWithScope, (*decoder).codeWithScope), emptyNever}
	case reflect.TypeFor[DBPointer]():
		e = exactCodec{encodeDBPointer, decodeAs(bsontype.DBPointer, (*decoder).dbPointer), emptyZero[DBPointer]}
	case reflect.TypeFor[MinKey]():
		e = exactCodec{encodeNothing(bsontype.MinKey), decodeNothing(bsontype.MinKey), emptyNever}
	case reflect.TypeFor[MaxKey]():
		e = exactCodec{encodeNothing(bsontype.MaxKey), decodeNothing(bsontype.MaxKey), emptyNever}
	case reflect.TypeFor[Undefined]():
		e = exactCodec{encodeNothing(bsontype.Undefined), decodeNothing(bsontype.Undefined), emptyNever}
	case reflect.TypeFor[Null]():
		e = exactCodec{encodeNothing(bsontype.Null), decodeNothing(bsontype.Null), emptyNever}
	case reflect.TypeFor[Raw]():
		e = exactCodec{encodeRaw(bsontype.EmbeddedDocument), decodeRaw(bsontype.EmbeddedDocument), emptyLength}
	case reflect.TypeFor[RawArray]():
		e = exactCodec{encodeRaw(bsontype.Array), decodeRaw(bsontype.Array), emptyLength}
	case reflect.TypeFor[RawValue]():
		e = exactCodec{encodeRawValue, decodeRawValue, emptyRawValue}
	case reflect.TypeFor[url.URL]():
		e = exactCodec{encodeURL, decodeURL, emptyNever}
	case reflect.TypeFor[big.Int]():
		e = exactCodec{encodeBigInt, decodeBigInt, emptyNever}
	case reflect.TypeFor[big.Float]():
		e = exactCodec{encodeBigFloat, decodeBigFloat, emptyNever}
	}
	return e, e.encode != nil
}

// useExact fills in c if its type has a form of its own.
func (c *codec) useExact() bool {
	e, ok := exactFor(c.typ)
	if ok {
		c.encode, c.decode, c.empty = e.encode, e.decode, e.empty
		c.customEncode, c.customDecode = true, true
	}
	return ok
}
