package ranges

import (
	"errors"
	"math/big"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/form"
)

var errDecimalDomain = errors.New(
	"encrypt: the domain of decimal128 values specified by the min, max, and precision cannot be represented in fewer than 128 bits")

// maxPrecision is how many digits a number of 128 bits can have after the point. A precision may come from a server,
// and ten to the power of a large one takes hours to compute.
const maxPrecision = 38

// bias is added to the exponents of decimals so that none is negative.
const bias = -form.DecimalMinExponent

// Decimal encodes a decimal of an index without bounds: all decimals, in their order.
func Decimal(value bson.Decimal128) (encoded, max Number, err error) {
	if value.IsNaN() || value.IsInf() != 0 {
		return encoded, max, errors.New("encrypt: infinity and NaN Decimal128 values are not supported")
	}
	max = lowBits(128)
	coefficient, exponent, err := value.BigInt()
	if err != nil {
		return encoded, max, err
	}
	negative := value.Signbit()
	coefficient = new(big.Int).Abs(coefficient)
	if coefficient.Sign() == 0 {
		return powerOfTwo(127), max, nil
	}
	largest := new(big.Int).Sub(tenTo(form.DecimalDigits), big.NewInt(1))
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
	n := numberOf(scaled).plus(powerOfTwo(127))
	if negative {
		n = Number{}.minus(n)
	}
	return n, max, nil
}

// DecimalWithin encodes a decimal of an index with bounds and a number of digits after the point; further digits are
// cut off.
func DecimalWithin(value, low, high bson.Decimal128, precision int32) (encoded, max Number, err error) {
	if precision < 0 {
		return encoded, max, errors.New("encrypt: 'precision' must be non-negative")
	}
	if precision > maxPrecision {
		return encoded, max, errDecimalDomain
	}
	scale := new(big.Rat).SetInt(tenTo(int(precision)))
	var parts [3]*big.Rat
	for i, d := range []bson.Decimal128{value, low, high} {
		if parts[i], err = toRational(d); err != nil {
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
	if encoded, max, err = decimalIndex(parts[0], parts[1].Num(), parts[2].Num(), precision); err == nil && max.Less(encoded) {
		err = errDecimalDomain
	}
	return encoded, max, err
}

// decimalIndex encodes a value of an index from one integer to another, all of them scaled by the precision.
func decimalIndex(value *big.Rat, from, to *big.Int, precision int32) (encoded, max Number, err error) {
	domain := round(new(big.Int).Sub(to, from))
	digits := ceilLog2(round(domain.Add(domain, tenTo(int(precision)))))
	if digits >= 128 {
		return encoded, max, errDecimalDomain
	}
	cut := new(big.Int).Quo(value.Num(), value.Denom())
	return numberOf(round(cut.Sub(cut, from))), lowBits(digits), nil
}

// ceilLog2 returns the logarithm of n to the base 2, rounded up as libmongocrypt does it: libmongocrypt computes with a binary float of
// 113 bits and converts the result to a Decimal128, in which a number just above a power of two has the same logarithm as the power.
func ceilLog2(n *big.Int) int {
	floor := n.BitLen() - 1
	power := new(big.Int).Lsh(big.NewInt(1), uint(floor))
	above := new(big.Int).Sub(n, power)
	if above.Sign() == 0 {
		return floor
	}
	if floor < 64 {
		return floor + 1
	}
	// log2(1+x) is x/ln 2 for an x so small. From 64 to 128 the last bit of the float is 2^-106, and 4 of them are less than half of
	// the decimal's last digit, which is 10^-31: so what is less than 4.5 of them is cut off.
	const log2e = 1442695040888963407 // 1/ln 2 times 10^18
	share := above.Mul(above, big.NewInt(log2e))
	if share.Lsh(share, 107).Cmp(power.Mul(power, big.NewInt(9e18))) < 0 {
		return floor
	}
	return floor + 1
}

// maxDigits is the number of decimal digits of a Decimal128.
const maxDigits = form.DecimalDigits

// round rounds a positive integer to as many digits as a decimal has, a half to the even digit. libmongocrypt subtracts the least
// value of the index as a Decimal128: with more digits, documents of either driver would not be found by the other.
func round(n *big.Int) *big.Int {
	extra := len(n.Text(10)) - maxDigits
	if extra <= 0 {
		return n
	}
	unit := tenTo(extra)
	quotient, rest := new(big.Int).QuoRem(n, unit, new(big.Int))
	if half := rest.Lsh(rest, 1).Cmp(unit); half > 0 || half == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient.Mul(quotient, unit)
}

// toRational returns the exact value of a decimal.
func toRational(d bson.Decimal128) (*big.Rat, error) {
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
