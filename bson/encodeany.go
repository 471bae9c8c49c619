package bson

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// appendAny appends any Go value. The types that documents are usually made of come first and cost no reflection.
func appendAny(f encState, dst []byte, v any) ([]byte, Type, error) {
	if f.has(encUserCodecs) && f.codecs.hasRule(v) {
		return appendByCodec(f, dst, v)
	}
	switch v := v.(type) {
	case nil:
		return dst, bsontype.Null, nil
	case string:
		return appendText(f, dst, bsontype.String, v)
	case int32:
		return wire.AppendInt32(dst, v), bsontype.Int32, nil
	case int64:
		dst, t := appendInt(dst, v, f.has(encMinSize))
		return dst, t, nil
	case int:
		dst, t := appendInt(dst, int64(v), true)
		return dst, t, nil
	case float64:
		return wire.AppendDouble(dst, v), bsontype.Double, nil
	case bool:
		return wire.AppendBoolean(dst, v), bsontype.Boolean, nil
	case D:
		return appendD(f, dst, v)
	case A:
		return appendA(f, dst, v)
	case M:
		return appendM(f, dst, v)
	case ObjectID:
		return append(dst, v[:]...), bsontype.ObjectID, nil
	case DateTime:
		return wire.AppendInt64(dst, int64(v)), bsontype.DateTime, nil
	}
	return appendRareAny(f, dst, v)
}

// appendRareAny continues appendAny with the types that are less common.
func appendRareAny(f encState, dst []byte, v any) ([]byte, Type, error) {
	switch v := v.(type) {
	case time.Time:
		return wire.AppendInt64(dst, v.UnixMilli()), bsontype.DateTime, nil
	case []byte:
		return encodeBytes(nil, f, dst, addressTo(&v))
	case Binary:
		return wire.AppendBinary(dst, v.Subtype, v.Data), bsontype.Binary, nil
	case Raw:
		return appendCheckedRaw(dst, bsontype.EmbeddedDocument, v)
	case RawArray:
		return appendCheckedRaw(dst, bsontype.Array, v)
	case RawValue:
		return appendCheckedValue(dst, v)
	case map[string]any:
		return appendM(f, dst, v)
	case []any:
		return appendA(f, dst, v)
	case Decimal128:
		return appendDecimal128(dst, v), bsontype.Decimal128, nil
	case Timestamp:
		return wire.AppendTimestamp(dst, v.T, v.I), bsontype.Timestamp, nil
	case Regex:
		return appendCheckedRegex(f, dst, v)
	case JavaScript:
		return appendText(f, dst, bsontype.JavaScript, string(v))
	case Symbol:
		return appendText(f, dst, bsontype.Symbol, string(v))
	case CodeWithScope:
		return appendCodeWithScope(f, dst, v)
	case DBPointer:
		return appendDBPointer(f, dst, v)
	case MinKey:
		return dst, bsontype.MinKey, nil
	case MaxKey:
		return dst, bsontype.MaxKey, nil
	case Undefined:
		return dst, bsontype.Undefined, nil
	case Null:
		return dst, bsontype.Null, nil
	}
	return appendByCodec(f, dst, v)
}

// appendByCodec appends a value of a type that appendAny does not know.
func appendByCodec(f encState, dst []byte, v any) ([]byte, Type, error) {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		p := addressIn(v)
		if noAddress(p) {
			return dst, bsontype.Null, nil
		}
		c := f.codecs.of(t.Elem())
		if c.mayCycle() {
			var err error
			if f, err = f.deeper(); err != nil {
				return dst, 0, err
			}
		}
		return c.encode(c, f, dst, p)
	}
	c := f.codecs.of(t)
	return c.encode(c, f, dst, addressFor(v, t))
}

func appendD(f encState, dst []byte, d D) ([]byte, Type, error) {
	if d == nil {
		return appendNilList(dst, bsontype.EmbeddedDocument, f)
	}
	dst, err := appendElements(f, dst, d)
	return dst, bsontype.EmbeddedDocument, err
}

// appendElements appends d, which is not nil.
func appendElements(f encState, dst []byte, d D) ([]byte, error) {
	f, err := f.deeper()
	if err != nil {
		return dst, err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for i := range d {
		if dst, err = appendElement(f, dst, d[i].Key, d[i].Value); err != nil {
			return dst, err
		}
	}
	dst = append(dst, 0)
	wire.PutLength(dst[start:])
	return dst, nil
}

// elementRoom is how much room an element needs besides its key if its value has a fixed size: the type byte, a zero byte,
// an ObjectID, and what CopyKey may overwrite.
const elementRoom = 2 + 12 + wire.WordRoom

// appendElement appends an element of a document. It writes the types that documents are usually made of in line: calls for
// the parts of so small a thing would cost more than the parts.
func appendElement(f encState, dst []byte, key string, v any) ([]byte, error) {
	n, at := len(key), len(dst)
	if cap(dst)-at < n+elementRoom {
		dst = slices.Grow(dst, n+elementRoom)
	}
	room := dst[at : at+n+elementRoom]
	from, plain := wire.AliasBytes(key), false
	if n < 8 {
		w := wire.ShortWord(from)
		binary.LittleEndian.PutUint64(room[1:], w)
		plain = wire.PlainWord(w, n)
	} else {
		plain = wire.CopyKey(room[1:], from)
	}
	if !plain {
		if err := checkKey(f, key); err != nil {
			return dst, err
		}
	}
	room[n+1] = 0
	value, end := room[n+2:], at+n+2
	if f.has(encUserCodecs) {
		return appendOtherElement(f, dst[:end], at, key, v)
	}
	var t Type
	switch v := v.(type) {
	case string:
		room[0] = byte(bsontype.String)
		dst, valid := wire.AppendChecked(dst[:end], v)
		if !valid && !f.has(encInvalidText) {
			return dst, encodeErrorUnder(key, wire.ErrGoText)
		}
		return dst, nil
	case int32:
		t, end = bsontype.Int32, end+4
		binary.LittleEndian.PutUint32(value, uint32(v))
	case int64:
		t, end = bsontype.Int64, end+8
		binary.LittleEndian.PutUint64(value, uint64(v))
		if f.has(encMinSize) && v == int64(int32(v)) {
			t, end = bsontype.Int32, end-4
		}
	case int:
		t, end = bsontype.Int64, end+8
		binary.LittleEndian.PutUint64(value, uint64(v))
		if v == int(int32(v)) {
			t, end = bsontype.Int32, end-4
		}
	case float64:
		t, end = bsontype.Double, end+8
		binary.LittleEndian.PutUint64(value, math.Float64bits(v))
	case bool:
		t, end = bsontype.Boolean, end+1
		value[0] = 0
		if v {
			value[0] = 1
		}
	case ObjectID:
		t, end = bsontype.ObjectID, end+copy(value, v[:])
	case DateTime:
		t, end = bsontype.DateTime, end+8
		binary.LittleEndian.PutUint64(value, uint64(v))
	case D:
		room[0] = byte(bsontype.EmbeddedDocument)
		if v == nil {
			return appendOtherElement(f, dst[:end], at, key, v)
		}
		dst, err := appendElements(f, dst[:end], v)
		if err != nil {
			err = encodeErrorUnder(key, err)
		}
		return dst, err
	default:
		return appendOtherElement(f, dst[:end], at, key, v)
	}
	room[0] = byte(t)
	return dst[:end], nil
}

// appendOtherElement continues appendElement, which has written the key of the element at at, with the other types.
func appendOtherElement(f encState, dst []byte, at int, key string, v any) ([]byte, error) {
	dst, t, err := appendAny(f, dst, v)
	if err != nil {
		return dst, encodeErrorUnder(key, err)
	}
	dst[at] = byte(t)
	return dst, nil
}

// appendKey appends room for the type byte, and the key.
func appendKey(f encState, dst []byte, key string) ([]byte, error) {
	dst = append(dst, 0)
	dst = append(dst, key...)
	dst = append(dst, 0)
	return dst, checkKey(f, key)
}

// checkKey returns an error if key cannot be written.
func checkKey(f encState, key string) error {
	if strings.IndexByte(key, 0) >= 0 {
		return encodeErrorUnder(key, wire.ErrZeroByte)
	}
	if !f.has(encInvalidText) && !wire.ValidString(key) {
		return encodeErrorUnder(key, wire.ErrGoText)
	}
	return nil
}

// appendNilList writes a nil slice: null, or on request the empty document or array.
func appendNilList(dst []byte, t Type, f encState) ([]byte, Type, error) {
	if f.has(encNilSliceAsEmpty) {
		return wire.AppendRawDocument(dst, nil), t, nil
	}
	return dst, bsontype.Null, nil
}

func appendA(f encState, dst []byte, a []any) ([]byte, Type, error) {
	if a == nil {
		return appendNilList(dst, bsontype.Array, f)
	}
	f, err := f.deeper()
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for i, v := range a {
		at := len(dst)
		dst = AppendArrayIndexHeader(dst, 0, i)
		var t Type
		if dst, t, err = appendAny(f, dst, v); err != nil {
			return dst, 0, encodeErrorAt(i, err)
		}
		dst[at] = byte(t)
	}
	dst = append(dst, 0)
	wire.PutLength(dst[start:])
	return dst, bsontype.Array, nil
}

func appendM(f encState, dst []byte, m map[string]any) ([]byte, Type, error) {
	if m == nil {
		return appendNilMap(dst, f)
	}
	f, err := f.deeper()
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if dst, err = appendMapElements(f, dst, m); err != nil {
		return dst, 0, err
	}
	dst = append(dst, 0)
	wire.PutLength(dst[start:])
	return dst, bsontype.EmbeddedDocument, nil
}

func appendMapElements(f encState, dst []byte, m map[string]any) ([]byte, error) {
	var err error
	for key, v := range m {
		if dst, err = appendElement(f, dst, key, v); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func appendNilMap(dst []byte, f encState) ([]byte, Type, error) {
	if f.has(encNilMapAsEmpty) {
		return wire.AppendRawDocument(dst, nil), bsontype.EmbeddedDocument, nil
	}
	return dst, bsontype.Null, nil
}

func appendCodeWithScope(f encState, dst []byte, v CodeWithScope) ([]byte, Type, error) {
	start := len(dst)
	dst, _, err := appendText(f, append(dst, 0, 0, 0, 0), bsontype.String, string(v.Code))
	if err != nil {
		return dst, 0, err
	}
	dst, t, err := appendAny(f, dst, v.Scope)
	switch {
	case err != nil:
		return dst, 0, err
	case t == bsontype.Null:
		dst = wire.AppendRawDocument(dst, nil)
	case t != bsontype.EmbeddedDocument:
		return dst, 0, fmt.Errorf("a scope must be a document, not %v", t)
	}
	wire.PutLength(dst[start:])
	return dst, bsontype.CodeWithScope, nil
}
