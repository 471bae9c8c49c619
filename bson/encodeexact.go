package bson

import (
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeObjectID(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return append(dst, toPointer[ObjectID](p)[:]...), bsontype.ObjectID, nil
}

func encodeDecimal128(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return appendDecimal128(dst, *toPointer[Decimal128](p)), bsontype.Decimal128, nil
}

func encodeDateTime(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return wire.AppendInt64(dst, *toPointer[int64](p)), bsontype.DateTime, nil
}

func encodeTimestamp(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	v := *toPointer[Timestamp](p)
	return wire.AppendTimestamp(dst, v.T, v.I), bsontype.Timestamp, nil
}

func encodeBinary(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	v := toPointer[Binary](p)
	return wire.AppendBinary(dst, v.Subtype, v.Data), bsontype.Binary, nil
}

func encodeTextAs(t Type) encodeFunc {
	return func(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
		return appendText(f, dst, t, *toPointer[string](p))
	}
}

func encodeNothing(t Type) encodeFunc {
	return func(_ *codec, _ encState, dst []byte, _ address) ([]byte, Type, error) { return dst, t, nil }
}

// encodeRaw writes a document or array that is encoded already; nil is null.
func encodeRaw(t Type) encodeFunc {
	return func(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
		return appendCheckedRaw(dst, t, *toPointer[[]byte](p))
	}
}

func encodeCodeWithScope(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendCodeWithScope(f, dst, *toPointer[CodeWithScope](p))
}

// appendCheckedRaw appends raw after checking its length and last byte. It trusts the caller for the elements.
func appendCheckedRaw(dst []byte, t Type, raw []byte) ([]byte, Type, error) {
	if raw == nil {
		return dst, bsontype.Null, nil
	}
	if _, err := wire.Body(raw); err != nil {
		return dst, 0, err
	}
	return append(dst, raw...), t, nil
}

func encodeRawValue(_ *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return appendCheckedValue(dst, *toPointer[RawValue](p))
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
