package bson

import (
	"bytes"
	"database/sql/driver"
	"fmt"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/core/form"
)

// AppendText appends the hexadecimal digits of id. It never fails.
func (id ObjectID) AppendText(dst []byte) ([]byte, error) { return id.AppendHex(dst), nil }

// MarshalText returns the 24 hexadecimal digits of id. It makes an ObjectID usable as a JSON map key and with
// flag.TextVar.
func (id ObjectID) MarshalText() ([]byte, error) { return id.AppendHex(make([]byte, 0, 24)), nil }

// UnmarshalText reads 24 hexadecimal digits. An empty text is NilObjectID.
func (id *ObjectID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = NilObjectID
		return nil
	}
	parsed, err := ObjectIDFromHex(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// MarshalJSON returns the hexadecimal digits as a JSON string.
func (id ObjectID) MarshalJSON() ([]byte, error) {
	dst := append(make([]byte, 0, 26), '"')
	return append(id.AppendHex(dst), '"'), nil
}

// UnmarshalJSON reads what MarshalJSON writes, or the extended JSON form {"$oid": "..."}. An empty string is
// NilObjectID. It leaves id unchanged for null, as encoding/json does.
func (id *ObjectID) UnmarshalJSON(data []byte) error {
	text, isNull, err := jsonTextOf(data, form.ObjectID)
	if err != nil || isNull {
		return err
	}
	return id.UnmarshalText(text)
}

// jsonTextOf returns the characters of a JSON string without escapes, or of the string that is the only member of an
// object under the given key. Identifiers and numbers need nothing more.
func jsonTextOf(data []byte, key string) (text []byte, isNull bool, err error) {
	t := bytes.TrimSpace(data)
	if string(t) == "null" {
		return nil, true, nil
	}
	if inner, ok := bytes.CutPrefix(t, []byte("{")); ok {
		inner = bytes.TrimSpace(bytes.TrimSuffix(inner, []byte("}")))
		inner, ok = bytes.CutPrefix(inner, []byte(`"`+key+`"`))
		inner, colon := bytes.CutPrefix(bytes.TrimSpace(inner), []byte(":"))
		if !ok || !colon {
			return nil, false, fmt.Errorf("bson: expected a JSON string or {%q: ...}, got %s", key, wire.Clip(string(data)))
		}
		t = bytes.TrimSpace(inner)
	}
	if len(t) < 2 || t[0] != '"' || t[len(t)-1] != '"' || bytes.ContainsAny(t[1:len(t)-1], `"\`) {
		return nil, false, fmt.Errorf("bson: expected a JSON string or {%q: ...}, got %s", key, wire.Clip(string(data)))
	}
	return t[1 : len(t)-1], false, nil
}

// Value stores id in a database/sql column as its hexadecimal digits, and NilObjectID as NULL.
func (id ObjectID) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.Hex(), nil
}

// Scan reads a database/sql column: 24 hexadecimal digits, 12 bytes, or NULL as NilObjectID.
func (id *ObjectID) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*id = NilObjectID
		return nil
	case string:
		return id.UnmarshalText([]byte(src))
	case []byte:
		if len(src) == len(id) {
			copy(id[:], src)
			return nil
		}
		return id.UnmarshalText(src)
	default:
		return fmt.Errorf("bson: cannot scan a column of type %T into an ObjectID", src)
	}
}
