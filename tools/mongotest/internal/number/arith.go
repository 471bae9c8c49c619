package number

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// widestType returns the type of a result: decimal over double over long over int.
func widestType(a, b bson.RawValue) bsontype.Type {
	for _, t := range [...]bsontype.Type{bsontype.Decimal128, bsontype.Double, bsontype.Int64} {
		if a.Type == t || b.Type == t {
			return t
		}
	}
	return bsontype.Int32
}

// integer makes the result of integer arithmetic: an int that overflows becomes a long.
func integer(t bsontype.Type, n int64) bson.RawValue {
	if t == bsontype.Int32 && n == int64(int32(n)) {
		return value.Int32(int32(n))
	}
	return value.Int64(n)
}

// Float64 returns the number as a double.
func Float64(v bson.RawValue) float64 {
	if v.Type == bsontype.Decimal128 {
		return decode(v.Value).Float64()
	}
	f, _ := v.AsFloat64OK()
	return f
}

// Add adds. overflow tells that a long overflowed; the value is then the double nearest to the sum.
func Add(a, b bson.RawValue) (sum bson.RawValue, overflow bool) {
	switch t := widestType(a, b); t {
	case bsontype.Decimal128:
		return addDecimal(ToDecimal(a), ToDecimal(b)).Value(), false
	case bsontype.Double:
		return value.Double(Float64(a) + Float64(b)), false
	default:
		m, n := ints(a, b)
		s := m + n
		if (s > m) != (n > 0) && n != 0 {
			return value.Double(float64(m) + float64(n)), true
		}
		return integer(t, s), false
	}
}

// Plus adds as $add does, to which the zeros at the end of a double's digits do not count.
func Plus(a, b bson.RawValue) (sum bson.RawValue, overflow bool) {
	if widestType(a, b) == bsontype.Decimal128 {
		return addDecimal(toPlain(a), toPlain(b)).Value(), false
	}
	return Add(a, b)
}

// Subtract subtracts b from a.
func Subtract(a, b bson.RawValue) (difference bson.RawValue, overflow bool) {
	switch t := widestType(a, b); t {
	case bsontype.Decimal128:
		y := ToDecimal(b)
		y.Neg = !y.Neg
		return addDecimal(ToDecimal(a), y).Value(), false
	case bsontype.Double:
		return value.Double(Float64(a) - Float64(b)), false
	default:
		m, n := ints(a, b)
		s := m - n
		if (s < m) != (n > 0) && n != 0 {
			return value.Double(float64(m) - float64(n)), true
		}
		return integer(t, s), false
	}
}

// Multiply multiplies.
func Multiply(a, b bson.RawValue) (product bson.RawValue, overflow bool) {
	switch t := widestType(a, b); t {
	case bsontype.Decimal128:
		return multiplyDecimal(ToDecimal(a), ToDecimal(b)).Value(), false
	case bsontype.Double:
		return value.Double(Float64(a) * Float64(b)), false
	default:
		m, n := ints(a, b)
		high, low := bits.Mul64(magnitude(m), magnitude(n))
		negative := (m < 0) != (n < 0)
		if high != 0 || low > 1<<63 || low == 1<<63 && !negative {
			return value.Double(float64(m) * float64(n)), true
		}
		return integer(t, m*n), false
	}
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

func ints(a, b bson.RawValue) (int64, int64) {
	m, _ := a.AsInt64OK()
	n, _ := b.AsInt64OK()
	return m, n
}

// IsZeroValue reports whether the number is zero.
func IsZeroValue(v bson.RawValue) bool {
	return Compare(v, value.Int32(0)) == 0
}

// Divide divides; the divisor is not zero. Two integers give a double.
func Divide(a, b bson.RawValue) bson.RawValue {
	if widestType(a, b) == bsontype.Decimal128 {
		return divideDecimal(ToDecimal(a), ToDecimal(b)).Value()
	}
	return value.Double(Float64(a) / Float64(b))
}

// Mod returns the remainder with the sign of the dividend; the divisor is not zero.
func Mod(a, b bson.RawValue) bson.RawValue {
	switch t := widestType(a, b); t {
	case bsontype.Decimal128:
		return modDecimal(ToDecimal(a), ToDecimal(b)).Value()
	case bsontype.Double:
		return value.Double(math.Mod(Float64(a), Float64(b)))
	default:
		m, n := ints(a, b)
		if n == -1 {
			return integer(t, 0)
		}
		return integer(t, m%n)
	}
}

func addDecimal(a, b Decimal) Decimal {
	switch {
	case a.IsNaN() || b.IsNaN(), a.IsInf() && b.IsInf() && a.Neg != b.Neg:
		return Decimal{kind: notANumber}
	case a.IsInf():
		return a
	case b.IsInf():
		return b
	}
	x, y, exp := align(a, b)
	return signedDecimal(new(big.Int).Add(x, y), exp)
}

func multiplyDecimal(a, b Decimal) Decimal {
	neg := a.Neg != b.Neg
	switch {
	case a.IsNaN() || b.IsNaN(), a.IsInf() && b.isZero(), b.IsInf() && a.isZero():
		return Decimal{kind: notANumber}
	case a.IsInf() || b.IsInf():
		return Decimal{kind: infinite, Neg: neg}
	}
	return Decimal{Neg: neg, Coef: new(big.Int).Mul(a.Coef, b.Coef), Exp: a.Exp + b.Exp}
}

func divideDecimal(a, b Decimal) Decimal {
	neg := a.Neg != b.Neg
	switch {
	case a.IsNaN() || b.IsNaN(), a.IsInf() && b.IsInf(), a.isZero() && b.isZero():
		return Decimal{kind: notANumber}
	case a.IsInf() || b.isZero():
		return Decimal{kind: infinite, Neg: neg}
	case b.IsInf():
		return Decimal{Neg: neg, Coef: new(big.Int), Exp: minExponent}
	}
	// Enough digits that the quotient has more than 34; what is left over sets a sticky last digit.
	shift := max(0, maxDigits+2+len(b.Coef.Text(10))-len(a.Coef.Text(10)))
	scaled := new(big.Int).Mul(a.Coef, tenTo(shift))
	q, r := new(big.Int).QuoRem(scaled, b.Coef, new(big.Int))
	exp := a.Exp - b.Exp - shift
	if r.Sign() != 0 {
		q.Mul(q, big.NewInt(10)).Add(q, big.NewInt(1))
		return Decimal{Neg: neg, Coef: q, Exp: exp - 1}
	}
	// An exact quotient keeps the exponent closest to the operands' difference.
	for ideal := a.Exp - b.Exp; exp < ideal && q.Sign() != 0; exp++ {
		t, rest := new(big.Int).QuoRem(q, big.NewInt(10), new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		q = t
	}
	if q.Sign() == 0 {
		exp = a.Exp - b.Exp
	}
	return Decimal{Neg: neg, Coef: q, Exp: exp}
}

func modDecimal(a, b Decimal) Decimal {
	switch {
	case a.IsNaN() || b.IsNaN() || a.IsInf() || b.isZero():
		return Decimal{kind: notANumber}
	case b.IsInf():
		return a
	}
	x, y, exp := align(a, b)
	r := signedDecimal(new(big.Int).Rem(x, y), exp)
	r.Neg = a.Neg
	return r
}
