package bson

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Null and undefined set every type below to its zero value.

func decodeTime(c *codec, d *decoder, t Type, b []byte, p address) error {
	var v time.Time
	switch t {
	case bsontype.DateTime, bsontype.Int64:
		v = time.UnixMilli(wire.Int64(b))
	case bsontype.Timestamp:
		v = time.Unix(int64(timestampOf(b).T), 0)
	case bsontype.String:
		text, err := d.readText(b)
		if err != nil {
			return err
		}
		if v, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return fmt.Errorf("cannot store a string in %v that is not a time in RFC 3339: %q", c.typ, wire.Clip(text))
		}
	default:
		if !wire.IsNull(t) {
			return c.mismatchError(t)
		}
	}
	if !d.opts.localTime || v.IsZero() {
		v = v.UTC()
	}
	*toPointer[time.Time](p) = v
	return nil
}

func decodeBytes(c *codec, d *decoder, t Type, b []byte, p address) error {
	var v []byte
	var err error
	switch t {
	case bsontype.Binary:
		v, err = d.readPlainBinary(c, b)
	case bsontype.String, bsontype.Symbol:
		var s string
		s, err = d.readText(b)
		v = []byte(s)
	default:
		if !wire.IsNull(t) {
			return c.mismatchError(t)
		}
	}
	if err != nil {
		return err
	}
	*toPointer[[]byte](p) = v
	return nil
}

func decodeObjectID(c *codec, d *decoder, t Type, b []byte, p address) error {
	var v ObjectID
	switch t {
	case bsontype.ObjectID:
		v = ObjectID(b)
	case bsontype.String:
		text := wire.Text(b)
		id, err := ObjectIDFromHex(string(text))
		switch {
		case err == nil:
			v = id
		case len(text) == len(v):
			v = ObjectID(text)
		default:
			return err
		}
	default:
		if !wire.IsNull(t) {
			return c.mismatchError(t)
		}
	}
	*toPointer[ObjectID](p) = v
	return nil
}

func decodeDecimal128(c *codec, _ *decoder, t Type, b []byte, p address) error {
	var v Decimal128
	switch {
	case t == bsontype.Decimal128:
		v = decimal128Of(b)
	case !wire.IsNull(t):
		return c.mismatchError(t)
	}
	*toPointer[Decimal128](p) = v
	return nil
}

func decodeDateTime(c *codec, _ *decoder, t Type, b []byte, p address) error {
	var v int64
	switch {
	case t == bsontype.DateTime || t == bsontype.Int64:
		v = wire.Int64(b)
	case !wire.IsNull(t):
		return c.mismatchError(t)
	}
	*toPointer[int64](p) = v
	return nil
}

func decodeTimestamp(c *codec, _ *decoder, t Type, b []byte, p address) error {
	var v Timestamp
	switch {
	case t == bsontype.Timestamp:
		v = timestampOf(b)
	case !wire.IsNull(t):
		return c.mismatchError(t)
	}
	*toPointer[Timestamp](p) = v
	return nil
}

// decodeAs makes the decode function of a type whose BSON type has a parser.
func decodeAs[T any](want Type, parse func(*decoder, []byte) (T, error)) decodeFunc {
	return func(c *codec, d *decoder, t Type, b []byte, p address) error {
		var v T
		var err error
		switch {
		case t == want:
			v, err = parse(d, b)
		case !wire.IsNull(t):
			err = c.mismatchError(t)
		}
		if err != nil {
			return err
		}
		*toPointer[T](p) = v
		return nil
	}
}

// decodeTextOf is for JavaScript and Symbol, which a string can become too.
func decodeTextOf(want Type) decodeFunc {
	return func(c *codec, d *decoder, t Type, b []byte, p address) error {
		var v string
		var err error
		switch {
		case t == want || t == bsontype.String:
			v, err = d.readText(b)
		case !wire.IsNull(t):
			err = c.mismatchError(t)
		}
		if err != nil {
			return err
		}
		*toPointer[string](p) = v
		return nil
	}
}

func decodeNothing(want Type) decodeFunc {
	return func(c *codec, _ *decoder, t Type, _ []byte, _ address) error {
		if t != want && !wire.IsNull(t) {
			return c.mismatchError(t)
		}
		return nil
	}
}

// decodeRaw is for Raw and RawArray. A Raw takes an array too.
func decodeRaw(want Type) decodeFunc {
	return func(c *codec, d *decoder, t Type, b []byte, p address) error {
		var v Raw
		switch {
		case t == want || t == bsontype.Array:
			v = d.ownBytes(b)
		case !wire.IsNull(t):
			return c.mismatchError(t)
		}
		*toPointer[Raw](p) = v
		return nil
	}
}

func decodeRawValue(_ *codec, d *decoder, t Type, b []byte, p address) error {
	*toPointer[RawValue](p) = RawValue{Type: t, Value: d.ownBytes(b)}
	return nil
}
