package bson

import (
	"database/sql/driver"
	"fmt"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
)

// ParseUUID parses the textual form of RFC 4122, in either case, with or without the prefix "urn:uuid:", and also 32
// hexadecimal digits without hyphens.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	if !hex.DecodeUUID(u[:], s) {
		return NilUUID, fmt.Errorf("%w, got %q", ErrInvalidUUID, wire.Clip(s))
	}
	return u, nil
}

// String returns the 36 characters of RFC 4122, in lower case.
func (u UUID) String() string {
	var buf [36]byte
	return string(u.Append(buf[:0]))
}

// Append appends the 36 characters of RFC 4122 to dst. It does not allocate if dst has room.
func (u UUID) Append(dst []byte) []byte {
	dst = append(hex.Append(dst, u[0:4]), '-')
	dst = append(hex.Append(dst, u[4:6]), '-')
	dst = append(hex.Append(dst, u[6:8]), '-')
	dst = append(hex.Append(dst, u[8:10]), '-')
	return hex.Append(dst, u[10:16])
}

// AppendText appends what String returns. It never fails.
func (u UUID) AppendText(dst []byte) ([]byte, error) { return u.Append(dst), nil }

// MarshalText returns what String returns.
func (u UUID) MarshalText() ([]byte, error) { return u.Append(make([]byte, 0, 36)), nil }

// UnmarshalText reads what ParseUUID accepts.
func (u *UUID) UnmarshalText(text []byte) error {
	parsed, err := ParseUUID(string(text))
	if err != nil {
		return err
	}
	*u = parsed
	return nil
}

// Value stores u in a database/sql column as text, and NilUUID as NULL.
func (u UUID) Value() (driver.Value, error) {
	if u.IsZero() {
		return nil, nil
	}
	return u.String(), nil
}

// Scan reads a database/sql column: the textual form, 16 bytes, or NULL as NilUUID.
func (u *UUID) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*u = NilUUID
		return nil
	case string:
		return u.UnmarshalText([]byte(src))
	case []byte:
		if len(src) == len(u) {
			copy(u[:], src)
			return nil
		}
		return u.UnmarshalText(src)
	default:
		return fmt.Errorf("bson: cannot scan a column of type %T into a UUID", src)
	}
}
