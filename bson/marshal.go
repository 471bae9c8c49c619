package bson

import (
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Marshal encodes v as a document: a struct, a map, a D, a Raw, or a type that encodes itself, or a pointer to one. The error
// is an [*EncodeError].
//
// A bool, float or string becomes the BSON type of that name. An int takes 32 bits if it fits, and 64 otherwise; int8,
// int16, int32, uint8 and uint16 take 32 bits; int64, uint, uint32 and uint64 take 64 bits, unless minsize is set. A
// time.Time becomes a date, a []byte or an array of bytes becomes binary data, and other slices and arrays become
// arrays. Maps and structs become documents, and nil becomes null. A url.URL becomes a string. A big.Int becomes an
// integer, or a Decimal128 if it is too large, or a string if it is larger still. A big.Float becomes a string.
//
// Struct fields have the same tags as in other MongoDB drivers for Go: a name, followed by omitempty, omitzero, inline,
// minsize or truncate; "-" leaves the field out. An unknown option is an error. An embedded struct is a field like any other
// unless it is inlined.
func Marshal(v any, opts ...*MarshalOptions) (Raw, error) {
	buf := buffers.Get().(*[]byte)
	defer func() {
		poison(*buf)
		buffers.Put(buf)
	}()
	out, err := MarshalAppend((*buf)[:0], v, opts...)
	if cap(out) <= maxKeptBuffer {
		*buf = out[:0]
	}
	if err != nil {
		return nil, err
	}
	return Raw(wire.Clone(out)), nil
}

// buffers holds *[]byte to encode into before the length is known.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptBuffer is the largest buffer that is kept for later use.
const maxKeptBuffer = 1 << 20

// MarshalAppend appends the document that v encodes to, as [Marshal] does, to dst. On error it returns dst unchanged, but may
// have written to the capacity after its end.
func MarshalAppend(dst []byte, v any, opts ...*MarshalOptions) ([]byte, error) {
	var out []byte
	var t Type
	var err error
	f := newEncState(opts)
	custom := f.has(encUserCodecs) && encodesByUserCodec(f, v) // user codecs come before methods
	if a := appenderOf(v); a != nil && !custom && (len(opts) == 0 || !isStatic(v)) {
		out, t, err = appendAppender(dst, a)
	} else if m := documentMarshalerOf(v); m != nil && !custom {
		out, t, err = appendMarshaled(dst, m)
	} else {
		out, t, err = appendAny(f, dst, v)
	}
	if err != nil {
		return dst, asEncodeError(err)
	}
	if t != bsontype.EmbeddedDocument {
		return dst, &EncodeError{Err: fmt.Errorf("%T encodes to %v, not to a document", v, t)}
	}
	if len(out)-len(dst) > maxLength {
		return dst, &EncodeError{Err: errTooLong}
	}
	return out, nil
}

// encodesByUserCodec reports whether a user codec says how v is encoded.
func encodesByUserCodec(f encState, v any) bool {
	c := f.codecs.userCodecFor(v)
	return c != nil && c.encode != nil
}

// documentMarshalerOf returns v if it encodes itself in two ways, as a document and as a value. Marshal needs a document and
// takes that one, as the official driver does.
func documentMarshalerOf(v any) Marshaler {
	m, ok := v.(Marshaler)
	if !ok || holdsNil(v) {
		return nil
	}
	if _, ok := v.(ValueMarshaler); !ok {
		return nil // the codec of its type does the same
	}
	return m
}

func appendMarshaled(dst []byte, m Marshaler) ([]byte, Type, error) {
	data, err := m.MarshalBSON()
	if err != nil {
		return dst, 0, err
	}
	return appendCheckedRaw(dst, bsontype.EmbeddedDocument, data)
}

// appenderOf returns v if it appends itself as a document. The codec of its type would do the same, but more slowly.
func appenderOf(v any) DocumentAppender {
	a, ok := v.(DocumentAppender)
	if !ok || holdsNil(v) {
		return nil
	}
	if _, ok := v.(ValueAppender); ok {
		return nil
	}
	return a
}

// AppendValue appends the value that v encodes to and returns its type.
func AppendValue(dst []byte, v any, opts ...*MarshalOptions) (bsontype.Type, []byte, error) {
	out, t, err := appendAny(newEncState(opts), dst, v)
	if err != nil {
		return 0, dst, asEncodeError(err)
	}
	if len(out)-len(dst) > maxLength {
		return 0, dst, &EncodeError{Err: errTooLong}
	}
	return t, out, nil
}

// AppendValueElement appends an element with any Go value. The key must not contain a zero byte.
func AppendValueElement(dst []byte, key string, v any, opts ...*MarshalOptions) ([]byte, error) {
	out, err := appendKey(newEncState(opts), dst, key)
	if err != nil {
		return dst, err
	}
	t, out, err := AppendValue(out, v, opts...)
	if err != nil {
		return dst, encodeErrorIn(key, err)
	}
	out[len(dst)] = byte(t)
	return out, nil
}

// newEncState merges the options.
func newEncState(opts []*MarshalOptions) encState {
	if len(opts) == 0 {
		return encState{encFull, defaultCaches[0]}
	}
	var bits encBits
	depth, caches := DefaultMaxDepth, &defaultCaches
	for _, o := range opts {
		if o == nil {
			continue
		}
		bits |= encBit(o.UseJSONStructTags, encJSONTags) | encBit(o.ErrorOnInlineDuplicates, encInlineDuplicates) |
			encBit(o.NilSliceAsEmpty, encNilSliceAsEmpty) | encBit(o.NilMapAsEmpty, encNilMapAsEmpty) |
			encBit(o.NilByteSliceAsEmpty, encNilBytesAsEmpty) | encBit(o.OmitEmpty, encOmitEmpty) |
			encBit(o.OmitZeroStruct, encOmitZeroStruct) | encBit(o.IntMinSize, encMinSize) |
			encBit(o.StringifyMapKeysWithFmt, encStringifyKeys) | encBit(o.AllowInvalidUTF8, encInvalidText)
		if o.MaxDepth > 0 {
			depth = min(o.MaxDepth, 1<<30)
		}
		if o.Codecs != nil {
			caches = &o.Codecs.caches
			bits = bits | encUserCodecs | encBit(o.Codecs.jsonTags, encJSONTags)
		}
	}
	variant := bits & (encJSONTags | encInlineDuplicates)
	return encState{bits | encBits(depth)*encLevel, caches[variant]}
}
