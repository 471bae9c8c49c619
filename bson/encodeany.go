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
	if f.has(encUserCodecs) && f.codecs.hasUserCodec(v) {
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

// appendRareAny is appendAny for the types that are less common.
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
		if isNilAddress(p) {
			return dst, bsontype.Null, nil
		}
		c := f.codecs.codecOf(t.Elem())
		if c.mayCycle() {
			var err error
			if f, err = f.descend(); err != nil {
				return dst, 0, err
			}
		}
		return c.encode(c, f, dst, p)
	}
	c := f.codecs.codecOf(t)
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
	f, err := f.descend()
	if err != nil {
		return dst, err
	}
	dst, start := AppendDocumentStart(dst)
	for i := range d {
		if dst, err = appendElement(f, dst, &d[i]); err != nil {
			return dst, err
		}
	}
	return AppendDocumentEnd(dst, start), nil
}

// elementRoom is how much room an element needs beyond its key if its value has a fixed size: the type byte, a zero
// byte, an ObjectID, and what copying words may overwrite.
const elementRoom = 2 + 12 + wire.WordRoom

// appendElement appends an element of a document. It writes short keys and the most common types without a call,
// because calls for parts this small would cost more than the parts. Arrays of a fixed size save checks of bounds.
func appendElement(f encState, dst []byte, e *E) ([]byte, error) {
	key, at := e.Key, len(dst)
	n := len(key)
	if cap(dst)-at < n+elementRoom {
		return appendElementToMore(f, dst, e)
	}
	head, from := (*[elementRoom]byte)(dst[at:at+elementRoom]), wire.AliasBytes(key)
	plain := false
	switch {
	case n < 8:
		w := wire.ShortWord(from)
		binary.LittleEndian.PutUint64(head[1:], w)
		plain = wire.IsPlainWord(w, n)
	case n < 16:
		a, b := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[n-8:])
		binary.LittleEndian.PutUint64(head[1:], a)
		binary.LittleEndian.PutUint64(head[n-7:], b)
		head[n+1] = 0
		plain = wire.ArePlainWords(a, b)
	default:
		room := dst[at+1 : at+n+2]
		plain = wire.CopyKey(room, from)
		room[n] = 0
	}
	at += n + 2
	if !plain || f.has(encUserCodecs) {
		return appendRareElement(f, dst[:at], e)
	}
	value := (*[16]byte)(dst[at : at+16])
	switch v := e.Value.(type) {
	case string:
		head[0] = byte(bsontype.String)
		dst, valid := wire.AppendChecked(dst[:at], v)
		if !valid && !f.has(encInvalidText) {
			return dst, encodeErrorIn(key, wire.ErrGoText)
		}
		return dst, nil
	case int32:
		head[0] = byte(bsontype.Int32)
		binary.LittleEndian.PutUint32(value[:], uint32(v))
		return dst[:at+4], nil
	case int64:
		t, size := putInt(value, v, f.has(encMinSize))
		head[0] = byte(t)
		return dst[:at+size], nil
	case int:
		t, size := putInt(value, int64(v), true)
		head[0] = byte(t)
		return dst[:at+size], nil
	case float64:
		head[0] = byte(bsontype.Double)
		binary.LittleEndian.PutUint64(value[:], math.Float64bits(v))
		return dst[:at+8], nil
	case bool:
		head[0], value[0] = byte(bsontype.Boolean), 0
		if v {
			value[0] = 1
		}
		return dst[:at+1], nil
	case ObjectID:
		head[0] = byte(bsontype.ObjectID)
		return dst[:at+copy(value[:], v[:])], nil
	case DateTime:
		head[0] = byte(bsontype.DateTime)
		binary.LittleEndian.PutUint64(value[:], uint64(v))
		return dst[:at+8], nil
	case D:
		if v == nil {
			break
		}
		head[0] = byte(bsontype.EmbeddedDocument)
		dst, err := appendElements(f, dst[:at], v)
		if err != nil {
			err = encodeErrorIn(key, err)
		}
		return dst, err
	}
	return appendOtherValue(f, dst[:at], e)
}

// putInt is appendInt for a caller that has already made room. It returns the type and the length of the value.
func putInt(room *[16]byte, v int64, short bool) (t Type, size int) {
	binary.LittleEndian.PutUint64(room[:], uint64(v))
	if short && v == int64(int32(v)) {
		return bsontype.Int32, 4
	}
	return bsontype.Int64, 8
}

func appendElementToMore(f encState, dst []byte, e *E) ([]byte, error) {
	return appendElement(f, slices.Grow(dst, len(e.Key)+elementRoom), e)
}

// appendRareElement takes the elements that appendElement leaves: the key needs a second look, or a codec of the user
// may decide.
func appendRareElement(f encState, dst []byte, e *E) ([]byte, error) {
	if err := checkKey(f, e.Key); err != nil {
		return dst, err
	}
	return appendOtherValue(f, dst, e)
}

// appendOtherValue appends the value of an element whose key is at the end of dst.
func appendOtherValue(f encState, dst []byte, e *E) ([]byte, error) {
	at := len(dst) - len(e.Key) - 2
	dst, t, err := appendAny(f, dst, e.Value)
	if err != nil {
		return dst, encodeErrorIn(e.Key, err)
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
		return encodeErrorIn(key, wire.ErrZeroByte)
	}
	if !f.has(encInvalidText) && !wire.ValidString(key) {
		return encodeErrorIn(key, wire.ErrGoText)
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
	f, err := f.descend()
	if err != nil {
		return dst, 0, err
	}
	dst, start := AppendDocumentStart(dst)
	for i, v := range a {
		at := len(dst)
		dst = AppendArrayIndexHeader(dst, 0, i)
		var t Type
		if dst, t, err = appendAny(f, dst, v); err != nil {
			return dst, 0, encodeErrorAt(i, err)
		}
		dst[at] = byte(t)
	}
	return AppendDocumentEnd(dst, start), bsontype.Array, nil
}

func appendM(f encState, dst []byte, m map[string]any) ([]byte, Type, error) {
	if m == nil {
		return appendNilMap(dst, f)
	}
	f, err := f.descend()
	if err != nil {
		return dst, 0, err
	}
	dst, start := AppendDocumentStart(dst)
	if dst, err = appendMapElements(f, dst, m); err != nil {
		return dst, 0, err
	}
	return AppendDocumentEnd(dst, start), bsontype.EmbeddedDocument, nil
}

func appendMapElements(f encState, dst []byte, m map[string]any) ([]byte, error) {
	var err error
	for key, v := range m {
		if dst, err = appendElement(f, dst, &E{key, v}); err != nil {
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
	dst, start := AppendDocumentStart(dst)
	dst, _, err := appendText(f, dst, bsontype.String, string(v.Code))
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
