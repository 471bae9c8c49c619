package number

import (
	"math"
	"math/big"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Total adds numbers as $sum and $avg do: integers exactly, doubles with their rounding errors carried along, so ten
// times 0.1 is 1, and decimals on their own. The zero Total is the int 0.
type Total struct {
	sum, carry float64
	decimal    Decimal
	widest     bsontype.Type
}

// Add adds a number.
func (t *Total) Add(v bson.RawValue) {
	if t.widest == 0 {
		t.widest = bsontype.Int32
	}
	t.widest = widestType(bson.RawValue{Type: t.widest}, v)
	switch v.Type {
	case bsontype.Decimal128:
		if t.decimal.Coef == nil && t.decimal.kind == finite {
			t.decimal = fromInt(0)
		}
		t.decimal = decode(addDecimal(t.decimal, decode(v.Value)).Value().Value)
	case bsontype.Double:
		t.addDouble(Float64(v))
	default:
		// Two halves, because a double has not the digits of a long.
		n, _ := v.AsInt64OK()
		high := n / (1 << 32) * (1 << 32)
		t.addDouble(float64(n - high))
		t.addDouble(float64(high))
	}
}

func (t *Total) addDouble(x float64) {
	s := t.sum + x
	if math.IsInf(s, 0) || math.IsNaN(s) {
		t.sum, t.carry = s, 0
		return
	}
	// Knuth's two-sum: what the addition lost goes into the carry.
	b := s - t.sum
	t.carry += (t.sum - (s - b)) + (x - b)
	t.sum = s
}

func (t *Total) double() float64 { return t.sum + t.carry }

// wholeSum returns the total of integers; ok is false when it is beyond a long.
func (t *Total) wholeSum() (n int64, ok bool) {
	sum, _ := big.NewFloat(t.sum).Int(nil)
	carry, _ := big.NewFloat(t.carry).Int(nil)
	sum.Add(sum, carry)
	return sum.Int64(), sum.IsInt64()
}

func (t *Total) asDecimal() Decimal {
	d := t.decimal
	if d.Coef == nil && d.kind == finite {
		d = fromInt(0)
	}
	if math.IsInf(t.sum, 0) || math.IsNaN(t.sum) {
		return addDecimal(d, fromDouble(t.sum))
	}
	return addDecimal(addDecimal(d, exactDouble(t.sum).round()), exactDouble(t.carry).round())
}

// Value returns the sum: of the widest type that was added, wider when it overflows.
func (t *Total) Value() bson.RawValue {
	switch t.widest {
	case 0:
		return value.Int32(0)
	case bsontype.Decimal128:
		return t.asDecimal().Value()
	case bsontype.Double:
		return value.Double(t.double())
	}
	if n, ok := t.wholeSum(); ok {
		return integer(t.widest, n)
	}
	return value.Double(t.double())
}

// Average returns the sum divided by a count that is not zero: a double, or a decimal.
func (t *Total) Average(count int64) bson.RawValue {
	if t.widest == bsontype.Decimal128 {
		return divideDecimal(t.asDecimal(), fromInt(count)).Value()
	}
	return value.Double(t.double() / float64(count))
}
