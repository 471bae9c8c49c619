package bson

import (
	"crypto/rand"
	"errors"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// UUID is a universally unique identifier in the byte order of RFC 4122. It is stored as binary subtype 4. For the
// legacy representations of subtype 3 use [UUID.Binary] and [Binary.AsUUID].
type UUID [16]byte

// NilUUID is the zero UUID.
var NilUUID UUID

// ErrInvalidUUID is matched (errors.Is) by errors about text that is not a UUID.
var ErrInvalidUUID = errors.New("bson: a UUID needs 32 hexadecimal digits in groups of 8-4-4-4-12")

// NewUUID returns a random UUID, version 4.
func NewUUID() UUID {
	var u UUID
	rand.Read(u[:]) // never fails: crypto/rand stops the program when the system has no entropy
	u[6] = u[6]&0x0F | 0x40
	u[8] = u[8]&0x3F | 0x80
	return u
}

// IsZero reports whether u is NilUUID, the value that omitempty leaves out.
func (u UUID) IsZero() bool { return u == NilUUID }

// AppendBSONValue writes u as binary subtype 4.
func (u UUID) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	return bsontype.Binary, wire.AppendBinary(dst, bsontype.BinaryUUID, u[:]), nil
}

// The representations of UUIDs. UUID, "Implicit decoding and encoding".
const (
	UUIDUnspecified  = bsontype.UUIDUnspecified  // none: neither encodes nor decodes
	UUIDStandard     = bsontype.UUIDStandard     // RFC 4122, subtype 4
	UUIDCSharpLegacy = bsontype.UUIDCSharpLegacy // bytes 0-3, 4-5 and 6-7 reversed, subtype 3
	UUIDJavaLegacy   = bsontype.UUIDJavaLegacy   // bytes 0-7 and 8-15 reversed, subtype 3
	UUIDPythonLegacy = bsontype.UUIDPythonLegacy // RFC 4122, subtype 3
)

// UUIDRepresentation says how the 16 bytes of a UUID are ordered in a binary value, and under which subtype.
type UUIDRepresentation = bsontype.UUIDRepresentation
