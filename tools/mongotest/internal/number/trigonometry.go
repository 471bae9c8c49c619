package number

import (
	"math"
	"math/big"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// curves are the functions of decimals by name, as math has them for doubles. Their argument is in the domain.
var curves = map[string]func(*big.Float) *big.Float{
	"$sin": sin, "$cos": cos, "$tan": func(x *big.Float) *big.Float { return newFloat().Quo(sin(x), cos(x)) },
	"$asin": asin, "$acos": func(x *big.Float) *big.Float { return newFloat().Sub(half(pi()), asin(x)) }, "$atan": atan,
	"$sinh": func(x *big.Float) *big.Float { return half(newFloat().Sub(exp(x), exp(newFloat().Neg(x)))) },
	"$cosh": func(x *big.Float) *big.Float { return half(newFloat().Add(exp(x), exp(newFloat().Neg(x)))) },
	"$tanh": func(x *big.Float) *big.Float {
		up, down := exp(x), exp(newFloat().Neg(x))
		return newFloat().Quo(newFloat().Sub(up, down), newFloat().Add(up, down))
	},
	"$asinh": asinh,
	"$acosh": func(x *big.Float) *big.Float { return ln(newFloat().Add(x, root(x, -1))) },
	"$atanh": func(x *big.Float) *big.Float {
		one := newFloat().SetInt64(1)
		return half(ln(newFloat().Quo(newFloat().Add(one, x), newFloat().Sub(one, x))))
	},
}

// Curve computes a trigonometric or hyperbolic function: in decimal for a decimal, otherwise in double. For arguments so large that
// exact digits would take too long, a decimal gets the digits of the double.
func Curve(name string, v bson.RawValue, double func(float64) float64) bson.RawValue {
	if v.Type != bsontype.Decimal128 {
		return value.Double(double(Float64(v)))
	}
	d := decode(v.Value)
	approximate := double(d.Float64())
	exact := d.kind == finite && d.magnitude() < 30 && d.magnitude() > -30 && !math.IsInf(approximate, 0) && approximate != 0
	if !exact || math.IsNaN(approximate) {
		if d.kind == finite && name == "$cos" && d.isZero() {
			return fromInt(1).Value()
		}
		return fromDouble(approximate).Value()
	}
	if d.isZero() {
		return floatDecimal(curves[name](newFloat())).Value()
	}
	return floatDecimal(curves[name](d.float())).Value()
}

// Atan2 returns the angle of a point.
func Atan2(y, x bson.RawValue) bson.RawValue {
	approximate := math.Atan2(Float64(y), Float64(x))
	if widestType(y, x) != bsontype.Decimal128 {
		return value.Double(approximate)
	}
	a, b := ToDecimal(y), ToDecimal(x)
	if a.kind != finite || b.kind != finite || a.isZero() || b.isZero() {
		switch {
		case approximate == math.Pi:
			return floatDecimal(pi()).Value()
		case math.Abs(approximate) == math.Pi/2:
			result := half(pi())
			if approximate < 0 {
				result.Neg(result)
			}
			return floatDecimal(result).Value()
		}
		return fromDouble(approximate).Value()
	}
	result := atan(newFloat().Quo(a.float(), b.float()))
	switch {
	case !b.Neg:
	case a.Neg:
		result.Sub(result, pi())
	default:
		result.Add(result, pi())
	}
	return floatDecimal(result).Value()
}

func half(x *big.Float) *big.Float { return newFloat().SetMantExp(x, -1) }

// root returns the square root of x*x+add.
func root(x *big.Float, add int64) *big.Float {
	square := newFloat().Mul(x, x)
	return square.Sqrt(square.Add(square, newFloat().SetInt64(add)))
}

// pi is computed by Machin's formula: 16*atan(1/5) - 4*atan(1/239).
var piOnce = sync.OnceValue(func() *big.Float {
	part := func(times, of int64) *big.Float {
		x := atanSeries(newFloat().Quo(newFloat().SetInt64(1), newFloat().SetInt64(of)))
		return x.Mul(x, newFloat().SetInt64(times))
	}
	return newFloat().Sub(part(16, 5), part(4, 239))
})

func pi() *big.Float { return newFloat().Set(piOnce()) }

// atanSeries sums the series of Taylor, which is short for a small argument.
func atanSeries(x *big.Float) *big.Float {
	square := newFloat().Mul(x, x)
	power, sum := newFloat().Set(x), newFloat().Set(x)
	for i := int64(3); i < 400; i += 2 {
		power.Neg(power.Mul(power, square))
		sum.Add(sum, newFloat().Quo(power, newFloat().SetInt64(i)))
	}
	return sum
}

// atan halves the argument's angle until the series is short.
func atan(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return newFloat().Neg(atan(newFloat().Neg(x)))
	}
	one := newFloat().SetInt64(1)
	if x.Cmp(one) > 0 {
		return newFloat().Sub(half(pi()), atan(newFloat().Quo(one, x)))
	}
	const halvings = 4
	small := newFloat().Set(x)
	for range halvings {
		small.Quo(small, newFloat().Add(one, root(small, 1)))
	}
	return newFloat().SetMantExp(atanSeries(small), halvings)
}

func asin(x *big.Float) *big.Float {
	one := newFloat().SetInt64(1)
	rest := newFloat().Sub(one, newFloat().Mul(x, x))
	if rest.Sign() <= 0 {
		result := half(pi())
		if x.Sign() < 0 {
			result.Neg(result)
		}
		return result
	}
	return atan(newFloat().Quo(x, rest.Sqrt(rest)))
}

func asinh(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return newFloat().Neg(asinh(newFloat().Neg(x)))
	}
	return ln(newFloat().Add(x, root(x, 1)))
}

// sin takes whole turns away and sums the series of Taylor.
func sin(x *big.Float) *big.Float {
	turn := newFloat().SetMantExp(pi(), 1)
	whole, _ := newFloat().Quo(x, turn).Int(nil)
	r := newFloat().Sub(x, newFloat().Mul(turn, newFloat().SetInt(whole)))
	square := newFloat().Mul(r, r)
	term, sum := newFloat().Set(r), newFloat().Set(r)
	for i := int64(2); i < 140; i += 2 {
		term.Neg(term.Mul(term, square))
		term.Quo(term, newFloat().SetInt64(i*(i+1)))
		sum.Add(sum, term)
	}
	return sum
}

func cos(x *big.Float) *big.Float { return sin(newFloat().Add(x, half(pi()))) }
