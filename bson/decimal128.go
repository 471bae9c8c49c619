package bson

import (
	"math/big"

	"github.com/specdrivers/onion/bson/internal/decimal"
)

// Decimal128 is an IEEE 754-2008 decimal floating-point number of 34 digits, in the binary integer encoding that BSON
// uses. The zero value is 0E-6176; use ParseDecimal128 for other values. Two values are equal by == only if sign,
// coefficient and exponent are the same: 1.0 and 1.00 differ.
type Decimal128 struct{ l, h uint64 }

// ErrNotFinite is returned by Decimal128.BigInt for infinity and NaN.
var ErrNotFinite = decimal.ErrNotFinite

// NewDecimal128 returns the Decimal128 of the given high and low 64 bits.
func NewDecimal128(h, l uint64) Decimal128 { return Decimal128{h: h, l: l} }

// ParseDecimal128 parses a numeric string such as "-1.50", "2E+10", "Infinity" or "NaN". It never rounds: a number that
// Decimal128 cannot hold exactly is an error. It allocates only to report an error.
func ParseDecimal128(s string) (Decimal128, error) {
	n, cause := decimal.Parse(s)
	if cause != "" {
		return Decimal128{}, decimal.Error(s, cause)
	}
	return Decimal128{h: n.High, l: n.Low}, nil
}

// Decimal128FromBigInt returns coeff * 10^exp, or an error if Decimal128 cannot hold that exactly.
func Decimal128FromBigInt(coeff *big.Int, exp int) (Decimal128, error) {
	n, err := decimal.FromBigInt(coeff, exp)
	return Decimal128{h: n.High, l: n.Low}, err
}

func (d Decimal128) number() decimal.Number { return decimal.Number{High: d.h, Low: d.l} }

// Bits returns the high and the low 64 bits of d.
func (d Decimal128) Bits() (h, l uint64) { return d.h, d.l }

// IsNaN reports whether d is not a number.
func (d Decimal128) IsNaN() bool { return d.number().IsNaN() }

// IsInf returns +1 for positive infinity, -1 for negative infinity, and 0 for every other value.
func (d Decimal128) IsInf() int { return d.number().IsInf() }

// IsZero reports whether d is the zero value of the Go type, 0E-6176, which omitempty leaves out.
func (d Decimal128) IsZero() bool { return d == Decimal128{} }

// Signbit reports whether d is negative or a negative zero.
func (d Decimal128) Signbit() bool { return d.number().Signbit() }

// BigInt returns the signed coefficient c and the exponent e of d = c * 10^e. The sign of a negative zero is lost.
func (d Decimal128) BigInt() (coeff *big.Int, exp int, err error) { return d.number().BigInt() }

// String returns the numeric string of d, which ParseDecimal128 reads back exactly.
func (d Decimal128) String() string { return d.number().String() }

// Append appends the numeric string of d to dst. It does not allocate if dst has room.
func (d Decimal128) Append(dst []byte) []byte { return d.number().Append(dst) }
