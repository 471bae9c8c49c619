package number

import (
	"math"
	"math/big"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Is reports whether the type is one of the four numeric types.
func Is(t bsontype.Type) bool {
	return t == bsontype.Int32 || t == bsontype.Int64 || t == bsontype.Double || t == bsontype.Decimal128
}

// Compare orders two numbers by value whatever their types. NaN sorts below every number, -0 equals 0.
func Compare(a, b bson.RawValue) int {
	if a.Type == bsontype.Decimal128 || b.Type == bsontype.Decimal128 {
		return compareDecimal(toExact(a), toExact(b))
	}
	ad, aDouble := a.DoubleOK()
	bd, bDouble := b.DoubleOK()
	switch {
	case aDouble && bDouble:
		return compareFloat(ad, bd)
	case aDouble:
		n, _ := b.AsInt64OK()
		return -compareIntFloat(n, ad)
	case bDouble:
		n, _ := a.AsInt64OK()
		return compareIntFloat(n, bd)
	}
	m, _ := a.AsInt64OK()
	n, _ := b.AsInt64OK()
	switch {
	case m < n:
		return -1
	case m > n:
		return 1
	}
	return 0
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return boolInt(math.IsNaN(b)) - boolInt(math.IsNaN(a))
}

func compareIntFloat(n int64, f float64) int {
	switch {
	case math.IsNaN(f), f < -1<<63:
		return 1
	case f >= 1<<63:
		return -1
	}
	whole := int64(f)
	switch {
	case n < whole:
		return -1
	case n > whole:
		return 1
	}
	return -compareFloat(f-float64(whole), 0)
}

// toExact returns a number as a decimal without rounding: a double's binary fraction is written out in full.
func toExact(v bson.RawValue) Decimal {
	f, ok := v.DoubleOK()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return ToDecimal(v)
	}
	return exactDouble(f)
}

func exactDouble(f float64) Decimal {
	r := new(big.Rat).SetFloat64(f)
	// The denominator is 2^k: multiplying both sides by 5^k makes it 10^k.
	k := r.Denom().BitLen() - 1
	five := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(k)), nil)
	return signedDecimal(five.Mul(five, r.Num()), -k)
}

// Order is what an ordered encoding of a number needs: the nearest double, how the number compares with it, and,
// where they differ, the digits.
type Order struct {
	Nearest float64
	Side    int
	Decimal Decimal
}

// OrderOf splits a number for an ordered encoding.
func OrderOf(v bson.RawValue) Order {
	switch v.Type {
	case bsontype.Double:
		f, _ := v.DoubleOK()
		return Order{Nearest: f}
	case bsontype.Decimal128:
		return orderOfDecimal(decode(v.Value))
	}
	n, _ := v.AsInt64OK()
	f := float64(n)
	side := compareIntFloat(n, f)
	if side == 0 {
		return Order{Nearest: f}
	}
	return Order{Nearest: f, Side: side, Decimal: fromInt(n)}
}

func orderOfDecimal(d Decimal) Order {
	if d.kind != finite {
		return Order{Nearest: d.Float64()}
	}
	f := d.Float64()
	if math.IsInf(f, 0) {
		f = math.Copysign(math.MaxFloat64, f)
	}
	return Order{Nearest: f, Side: compareDecimal(d, exactDouble(f)), Decimal: d}
}

// AppendDigits appends the decimal so that bytes order as magnitudes do: the exponent of the first digit, then the
// digits without trailing zeros, ended by a byte below every digit.
func (d Decimal) AppendDigits(dst []byte) []byte {
	digits := d.Coef.Text(10)
	exp := len(digits) + d.Exp + 8192
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	dst = append(dst, byte(exp>>8), byte(exp))
	dst = append(dst, digits...)
	return append(dst, 1)
}
