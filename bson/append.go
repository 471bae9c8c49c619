package bson

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson/internal/wire"
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
	return wire.AppendIndexHeader(dst, byte(t), i)
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
	return wire.AppendDouble(AppendHeader(dst, bsontype.Double, key), v)
}

// AppendStringElement appends a string.
func AppendStringElement(dst []byte, key, v string) []byte {
	return wire.AppendString(AppendHeader(dst, bsontype.String, key), v)
}

// AppendDocumentElement appends an embedded document. An empty Raw is written as an empty document.
func AppendDocumentElement(dst []byte, key string, v Raw) []byte {
	return wire.AppendRawDocument(AppendHeader(dst, bsontype.EmbeddedDocument, key), v)
}

// AppendArrayElement appends an array. An empty RawArray is written as an empty array.
func AppendArrayElement(dst []byte, key string, v RawArray) []byte {
	return wire.AppendRawDocument(AppendHeader(dst, bsontype.Array, key), v)
}

// AppendBinaryElement appends binary data. For subtype 2 it adds the inner length that the subtype requires.
func AppendBinaryElement(dst []byte, key string, subtype byte, data []byte) []byte {
	return wire.AppendBinary(AppendHeader(dst, bsontype.Binary, key), subtype, data)
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
	return wire.AppendBoolean(AppendHeader(dst, bsontype.Boolean, key), v)
}

// AppendDateTimeElement appends a date, in milliseconds since the Unix epoch.
func AppendDateTimeElement(dst []byte, key string, ms int64) []byte {
	return wire.AppendInt64(AppendHeader(dst, bsontype.DateTime, key), ms)
}

// AppendNullElement appends null.
func AppendNullElement(dst []byte, key string) []byte {
	return AppendHeader(dst, bsontype.Null, key)
}

// AppendRegexElement appends a regular expression. It sorts the options, as BSON requires.
func AppendRegexElement(dst []byte, key, pattern, options string) []byte {
	return wire.AppendRegex(AppendHeader(dst, bsontype.Regex, key), pattern, options)
}

// AppendDBPointerElement appends the deprecated DBPointer.
func AppendDBPointerElement(dst []byte, key, ns string, id ObjectID) []byte {
	dst = wire.AppendString(AppendHeader(dst, bsontype.DBPointer, key), ns)
	return append(dst, id[:]...)
}

// AppendJavaScriptElement appends JavaScript code.
func AppendJavaScriptElement(dst []byte, key, code string) []byte {
	return wire.AppendString(AppendHeader(dst, bsontype.JavaScript, key), code)
}

// AppendSymbolElement appends the deprecated symbol.
func AppendSymbolElement(dst []byte, key, v string) []byte {
	return wire.AppendString(AppendHeader(dst, bsontype.Symbol, key), v)
}

// AppendCodeWithScopeElement appends JavaScript code with its scope.
func AppendCodeWithScopeElement(dst []byte, key, code string, scope Raw) []byte {
	return wire.AppendCodeWithScope(AppendHeader(dst, bsontype.CodeWithScope, key), code, scope)
}

// AppendInt32Element appends a 32-bit integer.
func AppendInt32Element(dst []byte, key string, v int32) []byte {
	return wire.AppendInt32(AppendHeader(dst, bsontype.Int32, key), v)
}

// AppendTimestampElement appends a timestamp.
func AppendTimestampElement(dst []byte, key string, t, i uint32) []byte {
	return wire.AppendTimestamp(AppendHeader(dst, bsontype.Timestamp, key), t, i)
}

// AppendInt64Element appends a 64-bit integer.
func AppendInt64Element(dst []byte, key string, v int64) []byte {
	return wire.AppendInt64(AppendHeader(dst, bsontype.Int64, key), v)
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

func appendDecimal128(dst []byte, v Decimal128) []byte {
	return wire.AppendUint128(dst, v.h, v.l)
}
