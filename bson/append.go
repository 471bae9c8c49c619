package bson

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/specdrivers/onion/generated/bsontype"
)

// The functions below append one element each and trust their arguments: a key must not contain a zero byte (the
// document would be cut there), strings are expected to be UTF-8, raw documents to be valid. Marshal checks all of that.

// AppendDocumentStart opens a document; start is what [AppendDocumentEnd] needs to close it.
func AppendDocumentStart(dst []byte) (out []byte, start int) {
	return append(dst, 0, 0, 0, 0), len(dst)
}

// AppendDocumentEnd closes the document or array that was opened at start: it appends the zero byte and patches the length.
func AppendDocumentEnd(dst []byte, start int) []byte {
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// AppendHeader appends the type byte and the key of an element; the value must follow.
func AppendHeader(dst []byte, t bsontype.Type, key string) []byte {
	dst = append(dst, byte(t))
	dst = append(dst, key...)
	return append(dst, 0)
}

// AppendArrayIndexHeader appends the type byte and the key of the i-th element of an array; the value must follow.
func AppendArrayIndexHeader(dst []byte, t bsontype.Type, i int) []byte {
	if uint(i) < 10 {
		return append(dst, byte(t), '0'+byte(i), 0)
	}
	dst = append(dst, byte(t))
	dst = strconv.AppendInt(dst, int64(i), 10)
	return append(dst, 0)
}

// AppendDocumentElementStart opens an embedded document; close it with [AppendDocumentEnd].
func AppendDocumentElementStart(dst []byte, key string) (out []byte, start int) {
	return AppendDocumentStart(AppendHeader(dst, bsontype.EmbeddedDocument, key))
}

// AppendArrayElementStart opens an array; close it with [AppendDocumentEnd].
func AppendArrayElementStart(dst []byte, key string) (out []byte, start int) {
	return AppendDocumentStart(AppendHeader(dst, bsontype.Array, key))
}

// AppendDoubleElement appends a double.
func AppendDoubleElement(dst []byte, key string, v float64) []byte {
	return appendDouble(AppendHeader(dst, bsontype.Double, key), v)
}

// AppendStringElement appends a string.
func AppendStringElement(dst []byte, key, v string) []byte {
	return appendString(AppendHeader(dst, bsontype.String, key), v)
}

// AppendDocumentElement appends an embedded document. An empty Raw is written as an empty document.
func AppendDocumentElement(dst []byte, key string, v Raw) []byte {
	return appendRawDocument(AppendHeader(dst, bsontype.EmbeddedDocument, key), v)
}

// AppendArrayElement appends an array. An empty RawArray is written as an empty array.
func AppendArrayElement(dst []byte, key string, v RawArray) []byte {
	return appendRawDocument(AppendHeader(dst, bsontype.Array, key), v)
}

// AppendBinaryElement appends binary data. Subtype 2 gets the second length that it demands.
func AppendBinaryElement(dst []byte, key string, subtype byte, data []byte) []byte {
	return appendBinary(AppendHeader(dst, bsontype.Binary, key), subtype, data)
}

// AppendUndefinedElement appends the deprecated undefined value.
func AppendUndefinedElement(dst []byte, key string) []byte {
	return AppendHeader(dst, bsontype.Undefined, key)
}

// AppendObjectIDElement appends an ObjectID.
func AppendObjectIDElement(dst []byte, key string, v ObjectID) []byte {
	return append(AppendHeader(dst, bsontype.ObjectID, key), v[:]...)
}

// AppendBooleanElement appends a boolean.
func AppendBooleanElement(dst []byte, key string, v bool) []byte {
	return appendBoolean(AppendHeader(dst, bsontype.Boolean, key), v)
}

// AppendDateTimeElement appends a date, in milliseconds since 1970.
func AppendDateTimeElement(dst []byte, key string, ms int64) []byte {
	return appendInt64(AppendHeader(dst, bsontype.DateTime, key), ms)
}

// AppendNullElement appends null.
func AppendNullElement(dst []byte, key string) []byte {
	return AppendHeader(dst, bsontype.Null, key)
}

// AppendRegexElement appends a regular expression; the options are sorted.
func AppendRegexElement(dst []byte, key, pattern, options string) []byte {
	return appendRegex(AppendHeader(dst, bsontype.Regex, key), pattern, options)
}

// AppendDBPointerElement appends the deprecated DBPointer.
func AppendDBPointerElement(dst []byte, key, ns string, id ObjectID) []byte {
	dst = appendString(AppendHeader(dst, bsontype.DBPointer, key), ns)
	return append(dst, id[:]...)
}

// AppendJavaScriptElement appends JavaScript code.
func AppendJavaScriptElement(dst []byte, key, code string) []byte {
	return appendString(AppendHeader(dst, bsontype.JavaScript, key), code)
}

// AppendSymbolElement appends the deprecated symbol.
func AppendSymbolElement(dst []byte, key, v string) []byte {
	return appendString(AppendHeader(dst, bsontype.Symbol, key), v)
}

// AppendCodeWithScopeElement appends JavaScript code with its scope.
func AppendCodeWithScopeElement(dst []byte, key, code string, scope Raw) []byte {
	return appendCodeWithScope(AppendHeader(dst, bsontype.CodeWithScope, key), code, scope)
}

// AppendInt32Element appends a 32-bit integer.
func AppendInt32Element(dst []byte, key string, v int32) []byte {
	return appendInt32(AppendHeader(dst, bsontype.Int32, key), v)
}

// AppendTimestampElement appends a timestamp.
func AppendTimestampElement(dst []byte, key string, t, i uint32) []byte {
	return appendTimestamp(AppendHeader(dst, bsontype.Timestamp, key), t, i)
}

// AppendInt64Element appends a 64-bit integer.
func AppendInt64Element(dst []byte, key string, v int64) []byte {
	return appendInt64(AppendHeader(dst, bsontype.Int64, key), v)
}

// AppendDecimal128Element appends a Decimal128.
func AppendDecimal128Element(dst []byte, key string, v Decimal128) []byte {
	return appendDecimal128(AppendHeader(dst, bsontype.Decimal128, key), v)
}

// AppendMinKeyElement appends the minKey value.
func AppendMinKeyElement(dst []byte, key string) []byte {
	return AppendHeader(dst, bsontype.MinKey, key)
}

// AppendMaxKeyElement appends the maxKey value.
func AppendMaxKeyElement(dst []byte, key string) []byte {
	return AppendHeader(dst, bsontype.MaxKey, key)
}

// AppendRawValueElement appends a value that is already encoded. The zero RawValue is written as null.
func AppendRawValueElement(dst []byte, key string, v RawValue) []byte {
	if v.IsZero() {
		return AppendNullElement(dst, key)
	}
	return append(AppendHeader(dst, v.Type, key), v.Value...)
}

func appendInt32(dst []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(v)) }

func appendInt64(dst []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(v)) }

func appendDouble(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

func appendTimestamp(dst []byte, t, i uint32) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(t)<<32|uint64(i))
}

func appendDecimal128(dst []byte, v Decimal128) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, v.l)
	return binary.LittleEndian.AppendUint64(dst, v.h)
}

func appendBoolean(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendString(dst []byte, v string) []byte {
	dst = appendInt32(dst, int32(len(v)+1))
	dst = append(dst, v...)
	return append(dst, 0)
}

// appendChecked appends a string and reports whether it is UTF-8. Short ones are looked at while they are copied.
func appendChecked(dst []byte, v string) (out []byte, valid bool) {
	n, at := len(v), len(dst)
	if cap(dst)-at < n+5 {
		dst = slices.Grow(dst, n+5)
	}
	dst = dst[:at+n+5]
	binary.LittleEndian.PutUint32(dst[at:], uint32(n+1))
	dst[at+4+n] = 0
	to, from := dst[at+4:at+4+n], unsafe.Slice(unsafe.StringData(v), n)
	var seen uint64
	switch {
	case n < 8:
		seen = copyShort(to, from)
	case n <= 64:
		seen = copyWords(to, from)
	default:
		copy(to, from)
		return dst, validText(from)
	}
	return dst, seen&highBits == 0 || utf8.ValidString(v)
}

// copyWords copies eight bytes or more and returns every byte or-ed. The last bytes may be copied twice.
func copyWords(to, from []byte) uint64 {
	at := len(from) - 8
	seen := binary.LittleEndian.Uint64(from[at:])
	binary.LittleEndian.PutUint64(to[at:], seen)
	for i := 0; i < at; i += 8 {
		w := binary.LittleEndian.Uint64(from[i:])
		seen |= w
		binary.LittleEndian.PutUint64(to[i:], w)
	}
	return seen
}

// copyShort is copyWords for seven bytes or fewer.
func copyShort(to, from []byte) (seen uint64) {
	for i, c := range from {
		seen |= uint64(c)
		to[i] = c
	}
	return seen
}

func appendRawDocument(dst, v []byte) []byte {
	if len(v) == 0 {
		return append(dst, 5, 0, 0, 0, 0)
	}
	return append(dst, v...)
}

func appendBinary(dst []byte, subtype byte, data []byte) []byte {
	n := int32(len(data))
	if subtype == bsontype.BinaryOld {
		dst = appendInt32(append(appendInt32(dst, n+4), subtype), n)
		return append(dst, data...)
	}
	dst = append(appendInt32(dst, n), subtype)
	return append(dst, data...)
}

func appendRegex(dst []byte, pattern, options string) []byte {
	dst = append(append(dst, pattern...), 0)
	start := len(dst)
	dst = append(dst, options...)
	sortBytes(dst[start:])
	return append(dst, 0)
}

// sortBytes sorts in place. Options are a handful of letters, so insertion sort it is; what is not ASCII, which no option
// is, would be torn apart and stays as it is.
func sortBytes(b []byte) {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return
		}
	}
	for i := 1; i < len(b); i++ {
		for j := i; j > 0 && b[j] < b[j-1]; j-- {
			b[j], b[j-1] = b[j-1], b[j]
		}
	}
}

func appendCodeWithScope(dst []byte, code string, scope Raw) []byte {
	start := len(dst)
	dst = appendString(append(dst, 0, 0, 0, 0), code)
	dst = appendRawDocument(dst, scope)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}
