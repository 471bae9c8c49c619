package bson

import (
	"bytes"

	"github.com/specdrivers/onion/generated/bsontype"
)

// Type is the byte that opens a BSON element. Package generated/bsontype has its values: bsontype.String, bsontype.Int32.
type Type = bsontype.Type

// RawValue is an encoded value with its type. The zero RawValue means that there is no value.
type RawValue struct {
	Type  bsontype.Type
	Value []byte
}

// IsZero reports whether v is the zero RawValue, which means that there is no value.
func (v RawValue) IsZero() bool { return v.Type == 0 && len(v.Value) == 0 }

// IsNull reports whether v is a BSON null.
func (v RawValue) IsNull() bool { return v.Type == bsontype.Null }

// Equal reports whether v and o have the same type and the same bytes.
func (v RawValue) Equal(o RawValue) bool { return v.Type == o.Type && bytes.Equal(v.Value, o.Value) }
