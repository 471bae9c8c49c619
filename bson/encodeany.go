package bson

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

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
		return encodeBytes(nil, f, dst, unsafe.Pointer(&v))
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
		// The data word of a pointer is the pointer itself.
		p := dataWord(v)
		if p == nil {
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
	switch k := t.Kind(); {
	case k == reflect.Map || k == reflect.Chan || k == reflect.Func || k == reflect.UnsafePointer:
		p := dataWord(v) // which is the value itself
		return c.encode(c, f, dst, unsafe.Pointer(&p))
	case t.Size() == unsafe.Sizeof(uintptr(0)) && (k == reflect.Struct || k == reflect.Array):
		// Such a type may or may not live in the data word, depending on whether it is a pointer in disguise.
		box := reflect.New(t)
		box.Elem().Set(reflect.ValueOf(v))
		return c.encode(c, f, dst, box.UnsafePointer())
	}
	return c.encode(c, f, dst, dataWord(v))
}

func appendD(f encState, dst []byte, d D) ([]byte, Type, error) {
	if d == nil {
		return appendNilList(dst, bsontype.EmbeddedDocument, f)
	}
	f, err := f.deeper()
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for i := range d {
		e := &d[i]
		at := len(dst)
		if dst, err = appendKey(f, dst, e.Key); err != nil {
			return dst, 0, err
		}
		var t Type
		if dst, t, err = appendAny(f, dst, e.Value); err != nil {
			return dst, 0, encodeErrorUnder(e.Key, err)
		}
		dst[at] = byte(t)
	}
	dst = append(dst, 0)
	wire.PutLength(dst[start:])
	return dst, bsontype.EmbeddedDocument, nil
}

// appendKey appends room for the type byte, and the key.
func appendKey(f encState, dst []byte, key string) ([]byte, error) {
	dst = append(dst, 0)
	dst = append(dst, key...)
	dst = append(dst, 0)
	if !plainKey(key) {
		if strings.IndexByte(key, 0) >= 0 {
			return dst, encodeErrorUnder(key, wire.ErrZeroByte)
		}
		if !utf8.ValidString(key) && !f.has(encInvalidText) {
			return dst, encodeErrorUnder(key, wire.ErrGoText)
		}
	}
	return dst, nil
}

// plainKey reports whether key is made of ASCII without zero bytes. It may be wrong about a key that is, never about one that
// is not.
func plainKey(key string) bool {
	b := unsafe.Slice(unsafe.StringData(key), len(key))
	n := len(b)
	if n < 4 {
		for _, c := range b {
			if c-1 >= utf8.RuneSelf-1 {
				return false
			}
		}
		return true
	}
	var bad uint64 // bit 7 of each byte is set by a zero byte or one above 127
	if n >= 8 {
		for i := 0; i+8 <= n; i += 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			bad |= (w - wire.LowBits) | w
		}
		w := binary.LittleEndian.Uint64(b[n-8:])
		bad |= (w - wire.LowBits) | w
	} else {
		w := uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
		bad = (w - wire.LowBits) | w
	}
	return bad&wire.HighBits == 0
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
		at := len(dst)
		if dst, err = appendKey(f, dst, key); err != nil {
			return dst, err
		}
		var t Type
		if dst, t, err = appendAny(f, dst, v); err != nil {
			return dst, encodeErrorUnder(key, err)
		}
		dst[at] = byte(t)
	}
	return dst, nil
}

func appendNilMap(dst []byte, f encState) ([]byte, Type, error) {
	if f.has(encNilMapAsEmpty) {
		return wire.AppendRawDocument(dst, nil), bsontype.EmbeddedDocument, nil
	}
	return dst, bsontype.Null, nil
}

func encodeCodeWithScope(_ *codec, f encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	v := (*CodeWithScope)(p)
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
