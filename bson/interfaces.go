package bson

import (
	"encoding"
	"reflect"

	"github.com/specdrivers/onion/bson/internal/static"
	"github.com/specdrivers/onion/generated/bsontype"
)

// DocumentAppender is implemented by types that append themselves to dst as a whole document.
type DocumentAppender interface {
	AppendBSON(dst []byte) ([]byte, error)
}

// ValueAppender is implemented by types that append themselves to dst as a value of any type, and return that type.
type ValueAppender interface {
	AppendBSONValue(dst []byte) (bsontype.Type, []byte, error)
}

// Marshaler is implemented by types that encode themselves as a whole document.
type Marshaler interface {
	MarshalBSON() ([]byte, error)
}

// ValueMarshaler is implemented by types that encode themselves as a value of any type. If a type is a Marshaler too,
// Marshal prefers that, because it makes a document.
type ValueMarshaler interface {
	MarshalBSONValue() (typ byte, data []byte, err error)
}

// DocumentDecoder is implemented by types that decode themselves from a document. They must not keep or change doc.
type DocumentDecoder interface {
	DecodeBSON(doc Raw) error
}

// ValueDecoder is implemented by types that decode themselves from a value. They must not keep or change its bytes.
type ValueDecoder interface {
	DecodeBSONValue(v RawValue) error
}

// Unmarshaler is implemented by types that decode themselves from a document. They must not keep or change data.
type Unmarshaler interface {
	UnmarshalBSON(data []byte) error
}

// ValueUnmarshaler is implemented by types that decode themselves from a value. They must not keep or change data. If a
// type is an Unmarshaler too, Unmarshal prefers that, because it reads a document.
type ValueUnmarshaler interface {
	UnmarshalBSONValue(typ byte, data []byte) error
}

// KeyMarshaler is implemented by map key types that encode themselves as the key of an element.
type KeyMarshaler interface {
	MarshalKey() (key string, err error)
}

// KeyUnmarshaler is implemented by map key types that decode themselves from the key of an element.
type KeyUnmarshaler interface {
	UnmarshalKey(key string) error
}

// Zeroer is implemented by types that define for themselves which values omitempty and omitzero leave out.
type Zeroer interface {
	IsZero() bool
}

var (
	typeAppender          = reflect.TypeFor[DocumentAppender]()
	typeValueAppender     = reflect.TypeFor[ValueAppender]()
	typeMarshaler         = reflect.TypeFor[Marshaler]()
	typeValueMarshaler    = reflect.TypeFor[ValueMarshaler]()
	typeDocumentDecoder   = reflect.TypeFor[DocumentDecoder]()
	typeValueDecoder      = reflect.TypeFor[ValueDecoder]()
	typeUnmarshaler       = reflect.TypeFor[Unmarshaler]()
	typeValueUnmarshaler  = reflect.TypeFor[ValueUnmarshaler]()
	typeKeyMarshaler      = reflect.TypeFor[KeyMarshaler]()
	typeKeyUnmarshaler    = reflect.TypeFor[KeyUnmarshaler]()
	typeStaticMethods     = reflect.TypeFor[staticMethods]()
	typeZeroer            = reflect.TypeFor[Zeroer]()
	typeTextAppender      = reflect.TypeFor[encoding.TextAppender]()
	typeTextMarshaler     = reflect.TypeFor[encoding.TextMarshaler]()
	typeTextUnmarshaler   = reflect.TypeFor[encoding.TextUnmarshaler]()
	typeBinaryAppender    = reflect.TypeFor[encoding.BinaryAppender]()
	typeBinaryMarshaler   = reflect.TypeFor[encoding.BinaryMarshaler]()
	typeBinaryUnmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// staticMethods is implemented by types whose methods AppendBSON and DecodeBSON were written by bsongen. Those methods do
// what the codec of the type does without options, only faster.
type staticMethods interface{ BSONStatic() static.Info }
