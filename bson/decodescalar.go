package bson

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

var errFraction = errors.New("the double would lose its fraction or precision (the tag option truncate allows that)")

// readNumber returns a numeric value as an int64. Booleans are 0 and 1, null is 0.
func (d *decoder) readNumber(c *codec, t Type, b []byte) (int64, error) {
	switch t {
	case bsontype.Int32:
		return int64(wire.Int32(b)), nil
	case bsontype.Int64:
		return wire.Int64(b), nil
	case bsontype.Double:
		f := wire.Double(b)
		if d.opts.truncate {
			f = math.Trunc(f)
		}
		if v, ok := wire.ToInteger(f); ok {
			return v, nil
		}
		if f == math.Trunc(f) {
			return 0, fmt.Errorf("%g does not fit into %v", f, c.typ)
		}
		return 0, errFraction
	case bsontype.Boolean:
		v, err := wire.Bool(b)
		if v {
			return 1, nil
		}
		return 0, err
	case bsontype.Null, bsontype.Undefined:
		return 0, nil
	}
	return 0, c.mismatchError(t)
}

func decodeInt[T int | int8 | int16 | int32 | int64](c *codec, d *decoder, t Type, b []byte, p address) error {
	v, err := d.readNumber(c, t, b)
	if err != nil {
		return err
	}
	if int64(T(v)) != v {
		return fmt.Errorf("%d does not fit into %v", v, c.typ)
	}
	*toPointer[T](p) = T(v)
	return nil
}

func decodeUint[T uint | uint8 | uint16 | uint32 | uint64](c *codec, d *decoder, t Type, b []byte, p address) error {
	v, err := d.readNumber(c, t, b)
	if err != nil {
		return err
	}
	if v < 0 || uint64(T(v)) != uint64(v) {
		return fmt.Errorf("%d does not fit into %v", v, c.typ)
	}
	*toPointer[T](p) = T(v)
	return nil
}

// readFloat returns a numeric value as a float64.
func (d *decoder) readFloat(c *codec, t Type, b []byte) (float64, error) {
	if t == bsontype.Double {
		return wire.Double(b), nil
	}
	v, err := d.readNumber(c, t, b)
	return float64(v), err
}

func decodeFloat64(c *codec, d *decoder, t Type, b []byte, p address) error {
	v, err := d.readFloat(c, t, b)
	if err != nil {
		return err
	}
	*toPointer[float64](p) = v
	return nil
}

func decodeFloat32(c *codec, d *decoder, t Type, b []byte, p address) error {
	v, err := d.readFloat(c, t, b)
	if err != nil {
		return err
	}
	if !d.opts.truncate && float64(float32(v)) != v && !math.IsNaN(v) {
		return errFraction
	}
	*toPointer[float32](p) = float32(v)
	return nil
}

func decodeBool(c *codec, d *decoder, t Type, b []byte, p address) error {
	var v bool
	var err error
	switch t {
	case bsontype.Boolean:
		v, err = wire.Bool(b)
	case bsontype.Double:
		v = wire.Double(b) != 0
	default:
		var n int64
		n, err = d.readNumber(c, t, b)
		v = n != 0
	}
	if err != nil {
		return err
	}
	*toPointer[bool](p) = v
	return nil
}

func decodeString(c *codec, d *decoder, t Type, b []byte, p address) error {
	var s string
	var err error
	switch {
	case t == bsontype.String || t == bsontype.Symbol:
		s, err = d.readText(b)
	case t == bsontype.Binary:
		s, err = d.readBinaryText(c, b)
	case t == bsontype.ObjectID && d.opts.objectIDAsHex:
		s = ObjectID(b).Hex()
	case !wire.IsNull(t):
		return c.mismatchError(t)
	}
	if err != nil {
		return err
	}
	*toPointer[string](p) = s
	return nil
}

// readBinaryText returns plain binary data as a string.
func (d *decoder) readBinaryText(c *codec, b []byte) (string, error) {
	data, err := d.readPlainBinary(c, b)
	if err != nil {
		return "", err
	}
	if !d.checkText(data) {
		return "", wire.ErrText
	}
	return wire.AliasString(data), nil
}

// readPlainBinary returns the data of subtypes 0 and 2; of others the subtype would be lost.
func (d *decoder) readPlainBinary(c *codec, b []byte) ([]byte, error) {
	v, err := d.readBinary(b)
	if err == nil && v.Subtype != bsontype.BinaryGeneric && v.Subtype != bsontype.BinaryOld {
		err = fmt.Errorf("cannot store binary data of subtype %d in %v", v.Subtype, c.typ)
	}
	return v.Data, err
}

func decodeJSONNumber(c *codec, d *decoder, t Type, b []byte, p address) error {
	var s string
	switch t {
	case bsontype.Int32:
		s = strconv.FormatInt(int64(wire.Int32(b)), 10)
	case bsontype.Int64:
		s = strconv.FormatInt(wire.Int64(b), 10)
	case bsontype.Double:
		s = strconv.FormatFloat(wire.Double(b), 'f', -1, 64)
	case bsontype.Decimal128:
		s = decimal128Of(b).String()
	default:
		if !wire.IsNull(t) {
			return c.mismatchError(t)
		}
	}
	*toPointer[string](p) = s
	return nil
}
