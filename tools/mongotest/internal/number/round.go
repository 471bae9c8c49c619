package number

import (
	"math"
	"math/big"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Rounding says what happens to the dropped digits.
type Rounding uint8

// The ways of rounding.
const (
	HalfEven Rounding = iota
	TowardZero
	Down
	Up
)

// Round keeps place digits after the decimal point (before it when negative), in the operand's own type. A decimal that has no
// room for that many digits stays as it is; rounded up or down, it is not a number.
func Round(v bson.RawValue, place int, how Rounding) bson.RawValue {
	switch v.Type {
	case bsontype.Double:
		f, _ := v.DoubleOK()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return v
		}
		if place == 0 {
			return value.Double(roundFloat(f, how))
		}
		return value.Double(roundDecimal(exactDouble(f), place, how).Float64())
	case bsontype.Decimal128:
		d := decode(v.Value)
		if d.kind != finite {
			return v
		}
		out := quantize(roundDecimal(d, place, how), -place)
		if out.IsNaN() && (how == HalfEven || how == TowardZero) {
			return v
		}
		return out.Value()
	}
	if place >= 0 {
		return v
	}
	n, _ := v.AsInt64OK()
	d := roundDecimal(fromInt(n), place, how)
	whole := new(big.Int).Mul(d.signedCoefficient(), tenTo(max(d.Exp, 0)))
	if !whole.IsInt64() {
		return value.Double(d.Float64())
	}
	return integer(v.Type, whole.Int64())
}

// quantize gives a decimal the exponent, if that is not greater than its own. If the result would have more than 34 digits, it is not a
// number (NaN).
func quantize(d Decimal, exp int) Decimal {
	if d.Exp <= exp {
		return d
	}
	if !d.isZero() && d.magnitude()-exp > maxDigits {
		return Decimal{kind: notANumber}
	}
	return Decimal{Neg: d.Neg, Coef: new(big.Int).Mul(d.Coef, tenTo(d.Exp-exp)), Exp: exp}
}

func roundFloat(f float64, how Rounding) float64 {
	switch how {
	case TowardZero:
		return math.Trunc(f)
	case Down:
		return math.Floor(f)
	case Up:
		return math.Ceil(f)
	}
	return math.RoundToEven(f)
}

func roundDecimal(d Decimal, place int, how Rounding) Decimal {
	drop := -place - d.Exp
	if drop <= 0 {
		return d
	}
	if how == HalfEven {
		return Decimal{Neg: d.Neg, Coef: dropDigits(d.Coef, drop), Exp: d.Exp + drop}
	}
	q, r := new(big.Int).QuoRem(d.Coef, tenTo(drop), new(big.Int))
	if r.Sign() != 0 && (how == Down && d.Neg || how == Up && !d.Neg) {
		q.Add(q, big.NewInt(1))
	}
	return Decimal{Neg: d.Neg, Coef: q, Exp: d.Exp + drop}
}

// Abs returns the absolute value. It overflows for the smallest long.
func Abs(v bson.RawValue) (out bson.RawValue, overflow bool) {
	switch v.Type {
	case bsontype.Double:
		return value.Double(math.Abs(Float64(v))), false
	case bsontype.Decimal128:
		d := decode(v.Value)
		d.Neg = false
		return d.Value(), false
	}
	n, _ := v.AsInt64OK()
	if n == math.MinInt64 {
		return value.Double(math.Abs(float64(n))), true
	}
	return integer(v.Type, max(n, -n)), false
}

// TruncateInt64 returns the number without its fraction as a long; ok is false when it does not fit or is not finite.
func TruncateInt64(v bson.RawValue) (n int64, ok bool) {
	switch v.Type {
	case bsontype.Double:
		f, _ := v.DoubleOK()
		if math.IsNaN(f) || f < -1<<63 || f >= 1<<63 {
			return 0, false
		}
		return int64(f), true
	case bsontype.Decimal128:
		d := decode(v.Value)
		if d.kind != finite || d.magnitude() > 19 {
			return 0, false
		}
		whole := roundDecimal(d, 0, TowardZero)
		if whole.Coef.Sign() == 0 {
			return 0, true
		}
		i := new(big.Int).Mul(whole.signedCoefficient(), tenTo(max(whole.Exp, 0)))
		return i.Int64(), i.IsInt64()
	}
	return v.AsInt64OK()
}

// ExactInt64 returns the number as a long when it has no fraction.
func ExactInt64(v bson.RawValue) (n int64, ok bool) {
	if !Is(v.Type) {
		return 0, false
	}
	n, ok = TruncateInt64(v)
	return n, ok && Compare(v, value.Int64(n)) == 0
}

// IsNaN reports a double or decimal that is not a number.
func IsNaN(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.Double:
		return math.IsNaN(Float64(v))
	case bsontype.Decimal128:
		return decode(v.Value).IsNaN()
	}
	return false
}

// IsInf reports an infinite double or decimal.
func IsInf(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.Double:
		return math.IsInf(Float64(v), 0)
	case bsontype.Decimal128:
		return decode(v.Value).IsInf()
	}
	return false
}
