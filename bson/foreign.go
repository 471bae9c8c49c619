package bson

import (
	"fmt"
	"math/big"
	"net/url"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Types of the standard library that have no interface to encode them well.

// isEmptyDocument reports whether a value is an empty document: other drivers store one for a type without exported
// fields. What the type held is lost, so it decodes into the zero value.
func isEmptyDocument(t Type, b []byte) bool {
	const size = 5 // of a document without elements
	return t == bsontype.EmbeddedDocument && len(b) == size
}

func encodeURL(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendText(f, dst, bsontype.String, toPointer[url.URL](p).String())
}

func decodeURL(c *codec, d *decoder, t Type, b []byte, p address) error {
	target := toPointer[url.URL](p)
	if wire.IsNull(t) {
		*target = url.URL{}
		return nil
	}
	if t != bsontype.String {
		return c.mismatchError(t)
	}
	text, err := d.readText(b)
	if err != nil {
		return err
	}
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	*target = *u
	return nil
}

// encodeBigInt writes 64 bits where the number fits, else a Decimal128 up to 34 digits, because the server can compare
// these and calculate with them. Longer numbers are strings.
func encodeBigInt(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	v := toPointer[big.Int](p)
	if v.IsInt64() {
		return wire.AppendInt64(dst, v.Int64()), bsontype.Int64, nil
	}
	const maxBits = 113 // of 34 digits
	if v.BitLen() <= maxBits {
		if d, err := Decimal128FromBigInt(v, 0); err == nil {
			return appendDecimal128(dst, d), bsontype.Decimal128, nil
		}
	}
	return appendText(f, dst, bsontype.String, v.String())
}

func decodeBigInt(c *codec, d *decoder, t Type, b []byte, p address) error {
	target := toPointer[big.Int](p)
	switch t {
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Null, bsontype.Undefined:
		n, err := d.readNumber(c, t, b)
		if err == nil {
			target.SetInt64(n)
		}
		return err
	case bsontype.Decimal128:
		return setBigInt(target, decimal128Of(b))
	case bsontype.String:
		if _, ok := target.SetString(string(wire.Text(b)), 10); !ok {
			return fmt.Errorf("%q is not a whole number", wire.Clip(string(wire.Text(b))))
		}
		return nil
	}
	if isEmptyDocument(t, b) {
		*target = big.Int{}
		return nil
	}
	return c.mismatchError(t)
}

// setBigInt sets target to v, which must be a whole number.
func setBigInt(target *big.Int, v Decimal128) error {
	coeff, exp, err := v.BigInt()
	if err != nil {
		return err
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp >= 0 {
		target.Mul(coeff, scale)
		return nil
	}
	var rest big.Int
	coeff.QuoRem(coeff, scale, &rest)
	if rest.Sign() != 0 {
		return fmt.Errorf("%v is not a whole number", v)
	}
	target.Set(coeff)
	return nil
}

func encodeBigFloat(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendText(f, dst, bsontype.String, toPointer[big.Float](p).Text('g', -1))
}

func decodeBigFloat(c *codec, d *decoder, t Type, b []byte, p address) error {
	target := toPointer[big.Float](p)
	switch t {
	case bsontype.Double:
		f := wire.Double(b)
		if f != f {
			return fmt.Errorf("cannot store NaN in %v", c.typ)
		}
		target.SetFloat64(f)
		return nil
	case bsontype.Int32, bsontype.Int64, bsontype.Null, bsontype.Undefined:
		n, err := d.readNumber(c, t, b)
		if err == nil {
			target.SetInt64(n)
		}
		return err
	case bsontype.Decimal128:
		return target.UnmarshalText([]byte(decimal128Of(b).String()))
	case bsontype.String:
		return target.UnmarshalText(wire.Text(b))
	}
	if isEmptyDocument(t, b) {
		*target = big.Float{}
		return nil
	}
	return c.mismatchError(t)
}
