package ranges

import (
	"errors"
	"math/big"

	"github.com/specdrivers/onion/bson"
)

var errDecimalDomain = errors.New(
	"encrypt: the domain of decimal128 values specified by the min, max, and precision cannot be represented in fewer than 128 bits")

// bias is what decimals add to their exponents so that none is negative.
const bias = 6176

// Decimal encodes a decimal of an index without bounds: all decimals, in their order.
func Decimal(value bson.Decimal128) (encoded, max Number, err error) {
	if value.IsNaN() || value.IsInf() != 0 {
		return encoded, max, errors.New("encrypt: infinity and NaN Decimal128 values are not supported")
	}
	max = ones(128)
	coefficient, exponent, err := value.BigInt()
	if err != nil {
		return encoded, max, err
	}
	negative := value.Signbit()
	coefficient = new(big.Int).Abs(coefficient)
	if coefficient.Sign() == 0 {
		return power(127), max, nil
	}
	largest := new(big.Int).Sub(tenTo(34), big.NewInt(1))
	limit := new(big.Int).Quo(largest, big.NewInt(10))
	scaled, shift := new(big.Int).Set(coefficient), 0
	for ten := big.NewInt(10); scaled.Cmp(limit) < 0; shift++ {
		scaled.Mul(scaled, ten)
	}
	if e := exponent + bias; shift <= e {
		scaled.Add(scaled, new(big.Int).Mul(largest, big.NewInt(int64(e-shift))))
	} else {
		scaled.Mul(coefficient, tenTo(e))
	}
	n := numberOf(scaled).plus(power(127))
	if negative {
		n = Number{}.minus(n)
	}
	return n, max, nil
}

// DecimalWithin encodes a decimal of an index with bounds and a number of digits behind the point; others are cut off.
func DecimalWithin(value, low, high bson.Decimal128, precision int32) (encoded, max Number, err error) {
	if precision < 0 {
		return encoded, max, errors.New("encrypt: 'precision' must be non-negative")
	}
	scale := new(big.Rat).SetInt(tenTo(int(precision)))
	var parts [3]*big.Rat
	for i, d := range []bson.Decimal128{value, low, high} {
		if parts[i], err = rational(d); err != nil {
			return encoded, max, err
		}
	}
	switch {
	case parts[1].Cmp(parts[2]) >= 0:
		return encoded, max, errOrder
	case parts[0].Cmp(parts[1]) < 0 || parts[0].Cmp(parts[2]) > 0:
		return encoded, max, errOutside
	}
	for _, p := range parts {
		p.Mul(p, scale)
	}
	if !parts[1].IsInt() || !parts[2].IsInt() {
		return encoded, max, errors.New("encrypt: invalid bounds for Decimal128 range precision: they have more digits than the precision")
	}
	from, to := parts[1].Num(), parts[2].Num()
	domain := new(big.Int).Sub(to, from)
	domain.Add(domain, tenTo(int(precision)))
	digits := domain.BitLen()
	if new(big.Int).And(domain, new(big.Int).Sub(domain, big.NewInt(1))).Sign() == 0 {
		digits--
	}
	if digits >= 128 {
		return encoded, max, errDecimalDomain
	}
	cut := new(big.Int).Quo(parts[0].Num(), parts[0].Denom())
	return numberOf(cut.Sub(cut, from)), ones(digits), nil
}

// rational is the exact value of a decimal.
func rational(d bson.Decimal128) (*big.Rat, error) {
	if d.IsNaN() || d.IsInf() != 0 {
		return nil, errors.New("encrypt: infinity and NaN Decimal128 values are not supported")
	}
	coefficient, exponent, err := d.BigInt()
	if err != nil {
		return nil, err
	}
	if exponent >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Mul(coefficient, tenTo(exponent))), nil
	}
	return new(big.Rat).SetFrac(coefficient, tenTo(-exponent)), nil
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// numberOf takes the lowest 128 bits of a positive integer.
func numberOf(n *big.Int) Number {
	low := new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0)))
	return Number{Hi: new(big.Int).And(new(big.Int).Rsh(n, 64), new(big.Int).SetUint64(^uint64(0))).Uint64(), Lo: low.Uint64()}
}
