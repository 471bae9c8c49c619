package decimal

import (
	"errors"
	"math/big"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// ErrNotFinite is returned by BigInt for infinity and NaN.
var ErrNotFinite = errors.New("bson: infinity and NaN have no integer coefficient")

// BigInt returns the signed coefficient c and the exponent e of d = c * 10^e. The sign of a negative zero is lost.
func (d Number) BigInt() (coeff *big.Int, exp int, err error) {
	if d.IsNaN() || d.IsInf() != 0 {
		return nil, 0, ErrNotFinite
	}
	c, exp := d.parts()
	coeff = new(big.Int).SetUint64(c.h)
	coeff.Lsh(coeff, 64).Or(coeff, new(big.Int).SetUint64(c.l))
	if d.Signbit() {
		coeff.Neg(coeff)
	}
	return coeff, exp, nil
}

// FromBigInt returns coeff * 10^exp. It is an error if Decimal128 cannot hold that exactly.
func FromBigInt(coeff *big.Int, exp int) (Number, error) {
	digits := new(big.Int).Abs(coeff)
	// Only trailing zeros can bring the coefficient below 10^34, and one of more than 10^(34+12287) is out of range
	// however many zeros it ends in.
	if digits.BitLen() > 41_000 {
		return Number{}, Error("a coefficient of that size", "overflows")
	}
	ten, rem, e := big.NewInt(10), new(big.Int), int64(exp)
	limit := new(big.Int).Exp(ten, big.NewInt(maxDigits), nil)
	for digits.Cmp(limit) >= 0 {
		if digits.QuoRem(digits, ten, rem); rem.Sign() != 0 {
			return Number{}, Error(wire.Clip(coeff.String()), "has more than the 34 significant digits of")
		}
		e++
	}
	low := new(big.Int).And(digits, new(big.Int).SetUint64(1<<64-1)).Uint64()
	high := new(big.Int).Rsh(digits, 64).Uint64()
	d, cause := newDecimal(coeff.Sign() < 0, coefficient{high, low}, e)
	if cause != "" {
		return Number{}, Error(coeff.String()+"E"+big.NewInt(int64(exp)).String(), cause)
	}
	return d, nil
}
