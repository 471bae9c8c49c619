package bson

import (
	"github.com/specdrivers/onion/bson/internal/decimal"
	"github.com/specdrivers/onion/generated/core/form"
)

// AppendText appends the numeric string of d. It never fails.
func (d Decimal128) AppendText(dst []byte) ([]byte, error) { return d.Append(dst), nil }

// MarshalText returns the numeric string of d.
func (d Decimal128) MarshalText() ([]byte, error) {
	return d.Append(make([]byte, 0, decimal.MaxText)), nil
}

// UnmarshalText reads a numeric string.
func (d *Decimal128) UnmarshalText(text []byte) error {
	parsed, err := ParseDecimal128(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// MarshalJSON returns the numeric string of d as a JSON string. Most readers would round a JSON number.
func (d Decimal128) MarshalJSON() ([]byte, error) {
	dst := append(make([]byte, 0, decimal.MaxText+2), '"')
	return append(d.Append(dst), '"'), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and also a number or the extended JSON form {"$numberDecimal": "..."}. It
// leaves d unchanged for null, as encoding/json does.
func (d *Decimal128) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (decimal.IsDigit(data[0]) || data[0] == '-') {
		return d.UnmarshalText(data)
	}
	text, isNull, err := jsonTextOf(data, form.Decimal128)
	if err != nil || isNull {
		return err
	}
	return d.UnmarshalText(text)
}
