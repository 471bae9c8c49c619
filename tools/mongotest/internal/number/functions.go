package number

import (
	"math"
	"math/big"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// precision is how many bits the functions of decimals compute with: 34 digits need 113, the rest absorbs the rounding.
const precision = 320

// Is32 reports a number without a fraction that fits 32 bits.
func Is32(v bson.RawValue) bool {
	n, ok := ExactInt64(v)
	return ok && n == int64(int32(n))
}

// RoundInt64 returns the number rounded to a long, ties away from zero; ok is false when it does not fit.
func RoundInt64(v bson.RawValue) (n int64, ok bool) {
	if v.Type == bsontype.Double {
		return TruncateInt64(value.Double(math.Round(Float64(v))))
	}
	return TruncateInt64(Round(v, 0, HalfEven))
}

// OfDouble returns a double as a decimal of 15 digits.
func OfDouble(f float64) bson.RawValue { return fromDouble(f).Value() }

// Sqrt, Exp and Ln compute in decimal for a decimal, and in double for any other number. The argument is in the domain,
// or NaN.

// Sqrt returns the square root.
func Sqrt(v bson.RawValue) bson.RawValue {
	return apply(v, math.Sqrt, func(x *big.Float) *big.Float { return newFloat().Sqrt(x) })
}

// Exp is e to the power of v.
func Exp(v bson.RawValue) bson.RawValue {
	if v.Type == bsontype.Decimal128 {
		switch f := Float64(v); {
		case f > 20000:
			return Decimal{kind: infinite}.Value()
		case f < -20000:
			return Decimal{Coef: new(big.Int), Exp: minExponent}.Value()
		}
	}
	return apply(v, math.Exp, exp)
}

// Ln returns the natural logarithm.
func Ln(v bson.RawValue) bson.RawValue { return apply(v, math.Log, ln) }

// Log10 returns the logarithm to the base 10.
func Log10(v bson.RawValue) bson.RawValue {
	return apply(v, math.Log10, func(x *big.Float) *big.Float { return x.Quo(ln(x), ln(newFloat().SetInt64(10))) })
}

// Log returns the logarithm to a base.
func Log(v, base bson.RawValue) bson.RawValue {
	if widestType(v, base) != bsontype.Decimal128 {
		return value.Double(math.Log(Float64(v)) / math.Log(Float64(base)))
	}
	b := newFloat()
	if d := ToDecimal(base); d.kind == finite {
		b = d.float()
	} else {
		return value.Double(math.Log(Float64(v)) / math.Log(Float64(base)))
	}
	return apply(ToDecimal(v).Value(), math.Log, func(x *big.Float) *big.Float { return newFloat().Quo(ln(x), ln(b)) })
}

// PowDecimal returns a to the power of b, in decimal.
func PowDecimal(a, b bson.RawValue) bson.RawValue {
	x, y := ToDecimal(a), ToDecimal(b)
	n, whole := ExactInt64(b)
	approximate := math.Pow(x.Float64(), y.Float64())
	switch {
	case x.kind != finite || y.kind != finite || x.isZero() || y.isZero() || math.IsNaN(approximate):
		return fromDouble(approximate).Value()
	case x.isOne():
		return fromInt(1).Value()
	case whole && n > -10000 && n < 10000:
		return wholePower(x, n).round().pad().Value()
	}
	result := ln(x.float())
	return decode(Exp(floatDecimal(result.Mul(result, y.float())).Value()).Value).pad().Value()
}

func (d Decimal) isOne() bool {
	return d.kind == finite && !d.Neg && compareDecimal(d, fromInt(1)) == 0
}

// pad fills the decimal up with zeros to the most digits that a decimal has room for.
func (d Decimal) pad() Decimal {
	if d.kind != finite || d.isZero() {
		return d
	}
	n := min(maxDigits-len(d.Coef.Text(10)), d.Exp-minExponent)
	return Decimal{Neg: d.Neg, Coef: new(big.Int).Mul(d.Coef, tenTo(n)), Exp: d.Exp - n}
}

// wholePower multiplies with more digits than the result keeps.
func wholePower(x Decimal, n int64) Decimal {
	result, base := fromInt(1), x
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 == 1 {
			result = multiplyDecimal(result, base).shorten()
		}
		base = multiplyDecimal(base, base).shorten()
	}
	if n < 0 {
		return divideDecimal(fromInt(1), result)
	}
	return result
}

// shorten keeps 80 digits of an intermediate result.
func (d Decimal) shorten() Decimal {
	if drop := len(d.Coef.Text(10)) - 80; drop > 0 {
		d.Coef, d.Exp = dropDigits(d.Coef, drop), d.Exp+drop
	}
	return d
}

func apply(v bson.RawValue, double func(float64) float64, decimal func(*big.Float) *big.Float) bson.RawValue {
	if v.Type != bsontype.Decimal128 {
		return value.Double(double(Float64(v)))
	}
	d := decode(v.Value)
	if d.kind != finite || d.isZero() {
		return fromDouble(double(d.Float64())).Value()
	}
	return floatDecimal(decimal(d.float())).Value()
}

func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

func (d Decimal) float() *big.Float {
	f, _ := newFloat().SetString(d.signedCoefficient().Text(10) + "e" + strconv.Itoa(d.Exp))
	return f
}

// floatDecimal returns the decimal of 34 digits nearest to f. A result with zeros from its middle on is exact, and is given without them.
func floatDecimal(f *big.Float) Decimal {
	if f.Sign() == 0 {
		return fromInt(0)
	}
	d, _ := ParseDecimal(f.Text('e', maxDigits-1))
	if _, rest := new(big.Int).QuoRem(d.Coef, tenTo(maxDigits/2), new(big.Int)); rest.Sign() != 0 {
		return d
	}
	for d.Exp < 0 {
		q, r := new(big.Int).QuoRem(d.Coef, big.NewInt(10), new(big.Int))
		if r.Sign() != 0 {
			break
		}
		d.Coef, d.Exp = q, d.Exp+1
	}
	return d
}

// exp halves the argument until the series of Taylor is short, and squares the result as often.
func exp(x *big.Float) *big.Float {
	const halvings = 40
	small := newFloat().SetMantExp(x, -halvings)
	sum, term := newFloat().SetInt64(1), newFloat().SetInt64(1)
	for i := int64(1); i < 40; i++ {
		term.Mul(term, small)
		term.Quo(term, newFloat().SetInt64(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ln takes the powers of two away and sums 2*artanh((m-1)/(m+1)).
func ln(x *big.Float) *big.Float {
	m := newFloat()
	e := x.MantExp(m)
	result := artanh2(m)
	two := artanh2(newFloat().SetFloat64(0.5))
	return result.Sub(result, two.Mul(two, newFloat().SetInt64(int64(e))))
}

// artanh2 is ln(m) for m from 0.5 to 1.
func artanh2(m *big.Float) *big.Float {
	one := newFloat().SetInt64(1)
	z := newFloat().Quo(newFloat().Sub(m, one), newFloat().Add(m, one))
	square, power, sum := newFloat().Mul(z, z), newFloat().Set(z), newFloat().Set(z)
	for i := int64(3); i < 220; i += 2 {
		power.Mul(power, square)
		sum.Add(sum, newFloat().Quo(power, newFloat().SetInt64(i)))
	}
	return sum.Mul(sum, newFloat().SetInt64(2))
}
