package bson

import (
	"database/sql/driver"
	"fmt"
	"strings"
)

// ParseUUID parses the textual form of RFC 4122, in either case, with or without the prefix "urn:uuid:", and also 32
// hexadecimal digits without hyphens.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	text := s
	if len(text) > 36 {
		text = strings.TrimPrefix(text, "urn:uuid:")
	}
	ok := len(text) == 32 && decodeHex(u[:], text) || len(text) == 36 && decodeHyphenated(&u, text)
	if !ok {
		return NilUUID, fmt.Errorf("%w, got %q", ErrInvalidUUID, clip(s))
	}
	return u, nil
}

func decodeHyphenated(u *UUID, s string) bool {
	return s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		decodeHex(u[0:4], s[0:8]) && decodeHex(u[4:6], s[9:13]) && decodeHex(u[6:8], s[14:18]) &&
		decodeHex(u[8:10], s[19:23]) && decodeHex(u[10:16], s[24:36])
}

// String returns the 36 characters of RFC 4122, in lower case.
func (u UUID) String() string {
	var buf [36]byte
	return string(u.Append(buf[:0]))
}

// Append appends the 36 characters of RFC 4122 to dst. It does not allocate if dst has room.
func (u UUID) Append(dst []byte) []byte {
	dst = append(appendHex(dst, u[0:4]), '-')
	dst = append(appendHex(dst, u[4:6]), '-')
	dst = append(appendHex(dst, u[6:8]), '-')
	dst = append(appendHex(dst, u[8:10]), '-')
	return appendHex(dst, u[10:16])
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
