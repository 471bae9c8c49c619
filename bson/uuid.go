package bson

// UUID is a universally unique identifier in the byte order of RFC 4122. It is stored as binary subtype 4; the legacy
// representations of subtype 3 are reached through UUIDRepresentation.
type UUID [16]byte

// NilUUID is the zero UUID.
var NilUUID UUID

// IsZero reports whether u is NilUUID, the value that omitempty leaves out.
func (u UUID) IsZero() bool { return u == NilUUID }
