package bson

import (
	"math/big"
	"net/url"
	"reflect"
	"time"
	"unsafe"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// exactCodec is how a particular type is handled, whatever its kind.
type exactCodec struct {
	encode encodeFunc
	decode decodeFunc
	empty  emptyFunc
}

// exactFor returns how t is handled if it has a BSON form of its own. (A map of these would refer to itself, by way of the
// scope of a CodeWithScope.)
func exactFor(t reflect.Type) (e exactCodec, ok bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		e = exactCodec{encodeTime, decodeTime, emptyTime}
	case reflect.TypeFor[[]byte]():
		e = exactCodec{encodeBytes, decodeBytes, emptyLength}
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

func encodeObjectID(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	return append(dst, (*ObjectID)(p)[:]...), bsontype.ObjectID, nil
}

func encodeDecimal128(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	return appendDecimal128(dst, *(*Decimal128)(p)), bsontype.Decimal128, nil
}

func encodeDateTime(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	return wire.AppendInt64(dst, *(*int64)(p)), bsontype.DateTime, nil
}

func encodeTimestamp(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	v := *(*Timestamp)(p)
	return wire.AppendTimestamp(dst, v.T, v.I), bsontype.Timestamp, nil
}

func encodeBinary(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	v := (*Binary)(p)
	return wire.AppendBinary(dst, v.Subtype, v.Data), bsontype.Binary, nil
}

func encodeTextAs(t Type) encodeFunc {
	return func(_ *codec, f encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
		return appendText(f, dst, t, *(*string)(p))
	}
}

func encodeNothing(t Type) encodeFunc {
	return func(_ *codec, _ encState, dst []byte, _ unsafe.Pointer) ([]byte, Type, error) { return dst, t, nil }
}

// encodeRaw writes a document or array that is encoded already; nil is null.
func encodeRaw(t Type) encodeFunc {
	return func(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
		return appendCheckedRaw(dst, t, *(*[]byte)(p))
	}
}

// appendCheckedRaw appends raw after checking that it states its own length; its inside is the caller's affair.
func appendCheckedRaw(dst []byte, t Type, raw []byte) ([]byte, Type, error) {
	if raw == nil {
		return dst, bsontype.Null, nil
	}
	if _, err := wire.Body(raw); err != nil {
		return dst, 0, err
	}
	return append(dst, raw...), t, nil
}

func encodeRawValue(_ *codec, _ encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	return appendCheckedValue(dst, *(*RawValue)(p))
}

// appendCheckedValue appends v; the zero RawValue is null.
func appendCheckedValue(dst []byte, v RawValue) ([]byte, Type, error) {
	if v.IsZero() {
		return dst, bsontype.Null, nil
	}
	switch n := wire.ValueSize(v.Type, v.Value); {
	case n < 0:
		return dst, 0, wire.ValueError(v.Type, v.Value)
	case n != len(v.Value):
		return dst, 0, wire.Malformedf("%d bytes follow the %v", len(v.Value)-n, v.Type)
	}
	return append(dst, v.Value...), v.Type, nil
}
