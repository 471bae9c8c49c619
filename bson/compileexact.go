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

// exactCodecOf says how to handle t if t has a BSON form of its own. It is a switch because a map would refer to
// itself, through the scope of a CodeWithScope.
func exactCodecOf(t reflect.Type) (e exactCodec, ok bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		e = exactCodec{encodeTime, decodeTime, isZeroTime}
	case reflect.TypeFor[ObjectID]():
		e = exactCodec{encodeObjectID, decodeObjectID, isZeroValue[ObjectID]}
	case reflect.TypeFor[Decimal128]():
		e = exactCodec{encodeDecimal128, decodeDecimal128, isZeroValue[Decimal128]}
	case reflect.TypeFor[DateTime]():
		e = exactCodec{encodeDateTime, decodeDateTime, isZeroValue[int64]}
	case reflect.TypeFor[Timestamp]():
		e = exactCodec{encodeTimestamp, decodeTimestamp, isZeroValue[Timestamp]}
	case reflect.TypeFor[Binary]():
		e = exactCodec{encodeBinary, decodeAs(bsontype.Binary, (*decoder).readBinary), isZeroBinary}
	case reflect.TypeFor[Regex]():
		e = exactCodec{encodeRegex, decodeAs(bsontype.Regex, (*decoder).readRegex), isZeroValue[Regex]}
	case reflect.TypeFor[JavaScript]():
		e = exactCodec{encodeTextAs(bsontype.JavaScript), decodeTextOf(bsontype.JavaScript), isZeroValue[string]}
	case reflect.TypeFor[Symbol]():
		e = exactCodec{encodeTextAs(bsontype.Symbol), decodeTextOf(bsontype.Symbol), isZeroValue[string]}
	case reflect.TypeFor[CodeWithScope]():
		e = exactCodec{encodeCodeWithScope, decodeAs(bsontype.CodeWithScope, (*decoder).readCodeWithScope), isNeverEmpty}
	case reflect.TypeFor[DBPointer]():
		e = exactCodec{encodeDBPointer, decodeAs(bsontype.DBPointer, (*decoder).readDBPointer), isZeroValue[DBPointer]}
	case reflect.TypeFor[MinKey]():
		e = exactCodec{encodeNothing(bsontype.MinKey), decodeNothing(bsontype.MinKey), isNeverEmpty}
	case reflect.TypeFor[MaxKey]():
		e = exactCodec{encodeNothing(bsontype.MaxKey), decodeNothing(bsontype.MaxKey), isNeverEmpty}
	case reflect.TypeFor[Undefined]():
		e = exactCodec{encodeNothing(bsontype.Undefined), decodeNothing(bsontype.Undefined), isNeverEmpty}
	case reflect.TypeFor[Null]():
		e = exactCodec{encodeNothing(bsontype.Null), decodeNothing(bsontype.Null), isNeverEmpty}
	case reflect.TypeFor[Raw]():
		e = exactCodec{encodeRaw(bsontype.EmbeddedDocument), decodeRaw(bsontype.EmbeddedDocument), hasNoLength}
	case reflect.TypeFor[RawArray]():
		e = exactCodec{encodeRaw(bsontype.Array), decodeRaw(bsontype.Array), hasNoLength}
	case reflect.TypeFor[RawValue]():
		e = exactCodec{encodeRawValue, decodeRawValue, isZeroRawValue}
	case reflect.TypeFor[url.URL]():
		e = exactCodec{encodeURL, decodeURL, isNeverEmpty}
	case reflect.TypeFor[big.Int]():
		e = exactCodec{encodeBigInt, decodeBigInt, isNeverEmpty}
	case reflect.TypeFor[big.Float]():
		e = exactCodec{encodeBigFloat, decodeBigFloat, isNeverEmpty}
	}
	return e, e.encode != nil
}

// useExact fills in c if its type has a form of its own.
func (c *codec) useExact() bool {
	e, ok := exactCodecOf(c.typ)
	if ok {
		c.encode, c.decode, c.empty = e.encode, e.decode, e.empty
		c.customEncode, c.customDecode = true, true
	}
	return ok
}
