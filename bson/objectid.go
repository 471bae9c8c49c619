package bson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
)

// ObjectID is the 12-byte identifier that MongoDB gives a document by default: four bytes of seconds since 1970, five
// bytes that are random per process, and a three-byte counter, all big-endian so that identifiers sort by age.
type ObjectID [12]byte

// NilObjectID is the zero ObjectID. No generated ObjectID equals it.
var NilObjectID ObjectID

// ErrInvalidHex is matched (errors.Is) by errors about text that is not the 24 hexadecimal digits of an ObjectID.
var ErrInvalidHex = errors.New("bson: an ObjectID needs 24 hexadecimal digits")

// ObjectIDFromHex parses the 24 hexadecimal digits of an ObjectID, in either case.
func ObjectIDFromHex(s string) (id ObjectID, err error) {
	if len(s) != 2*len(id) {
		return NilObjectID, invalidHexError(s)
	}
	digits := []byte(s) // without a copy, because nothing changes them
	a, rightA := hex.DecodeEight(binary.LittleEndian.Uint64(digits))
	b, rightB := hex.DecodeEight(binary.LittleEndian.Uint64(digits[8:]))
	c, rightC := hex.DecodeEight(binary.LittleEndian.Uint64(digits[16:]))
	if !hex.AreDigits(rightA & rightB & rightC) {
		return NilObjectID, invalidHexError(s)
	}
	binary.LittleEndian.PutUint32(id[:], hex.Pack(a))
	binary.LittleEndian.PutUint32(id[4:], hex.Pack(b))
	binary.LittleEndian.PutUint32(id[8:], hex.Pack(c))
	return id, nil
}

func invalidHexError(s string) error { return fmt.Errorf("%w, got %q", ErrInvalidHex, wire.Clip(s)) }

// Timestamp returns the time of creation, to the second, in UTC.
func (id ObjectID) Timestamp() time.Time {
	// ObjectID, "Timestamp Field": the seconds are unsigned.
	return time.Unix(int64(binary.BigEndian.Uint32(id[:4])), 0).UTC()
}

// IsZero reports whether id is NilObjectID, the value that omitempty leaves out.
func (id ObjectID) IsZero() bool { return id == NilObjectID }

// Hex returns the 24 lower-case hexadecimal digits of id.
func (id ObjectID) Hex() string {
	var buf [24]byte
	return string(id.AppendHex(buf[:0]))
}

// AppendHex appends the 24 lower-case hexadecimal digits of id to dst. It does not allocate if dst has room.
func (id ObjectID) AppendHex(dst []byte) []byte { return hex.Append(dst, id[:]) }

// String returns the shell's notation, ObjectID("...").
func (id ObjectID) String() string {
	buf := append(make([]byte, 0, 36), `ObjectID("`...)
	return string(append(id.AppendHex(buf), `")`...))
}
