package payload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/internal/encrypt/ranges"
)

// defaultSparsity is the sparsity of an index that names none.
const defaultSparsity = 2

// domain is what a range index takes: values from min to max, with precision digits after the point.
type domain struct {
	min, max  bson.RawValue
	precision *int32
}

// newDomain fills in the bounds that may be left out.
func newDomain(t bson.Type, low, high bson.RawValue, precision *int32) (domain, error) {
	if precision != nil && *precision < 0 {
		return domain{}, errors.New("encrypt: 'precision' must be non-negative")
	}
	d := domain{low, high, precision}
	bounded := t == bsontype.Double || t == bsontype.Decimal128
	for _, b := range []struct {
		name  string
		value *bson.RawValue
		whole func(bson.Type) bson.RawValue
	}{{"min", &d.min, smallestOf}, {"max", &d.max, largestOf}} {
		switch {
		case b.value.IsZero() && (!bounded || precision != nil):
			return domain{}, fmt.Errorf("encrypt: range option '%s' is required for a field of type %s", b.name, t)
		case b.value.IsZero():
			*b.value = b.whole(t)
		case b.value.Type != t:
			return domain{}, mismatchError(b.name, b.value.Type, t)
		}
	}
	return d, nil
}

// mismatchError returns the error for a bound whose type is not the value's.
func mismatchError(name string, bound, value bson.Type) error {
	return fmt.Errorf("encrypt: expected matching '%s' and value type. Got range option '%s' of type %s and value of type %s",
		name, name, bound, value)
}

// encode returns the integer of a value, and the largest integer of the index.
func (d domain) encode(v bson.RawValue) (n, top ranges.Number, err error) {
	if v.Type != d.min.Type {
		return n, top, mismatchError("min", d.min.Type, v.Type)
	}
	switch v.Type {
	case bsontype.Int32, bsontype.Int64, bsontype.DateTime:
		return ranges.Int(integer(v), integer(d.min), integer(d.max))
	case bsontype.Double:
		f, _ := v.DoubleOK()
		if d.precision == nil {
			return ranges.Double(f)
		}
		low, _ := d.min.DoubleOK()
		high, _ := d.max.DoubleOK()
		return ranges.DoubleWithin(f, low, high, *d.precision)
	case bsontype.Decimal128:
		f, _ := v.Decimal128OK()
		if d.precision == nil {
			return ranges.Decimal(f)
		}
		low, _ := d.min.Decimal128OK()
		high, _ := d.max.Decimal128OK()
		return ranges.DecimalWithin(f, low, high, *d.precision)
	}
	return n, top, fmt.Errorf("encrypt: a range index cannot hold a value of type %s", v.Type)
}

// integer returns the number in a value of one of the three integer types.
func integer(v bson.RawValue) int64 {
	if ms, ok := v.DateTimeOK(); ok {
		return ms
	}
	n, _ := v.AsInt64OK()
	return n
}

// compare orders two values of the same type of a range index.
func compare(a, b bson.RawValue) int {
	switch a.Type {
	case bsontype.Double:
		x, _ := a.DoubleOK()
		y, _ := b.DoubleOK()
		return cmp.Compare(x, y)
	case bsontype.Decimal128:
		x, _ := a.Decimal128OK()
		y, _ := b.Decimal128OK()
		return compareDecimals(x, y)
	}
	return cmp.Compare(integer(a), integer(b))
}

func compareDecimals(a, b bson.Decimal128) int {
	x, e, err := a.BigInt()
	y, f, err2 := b.BigInt()
	if err != nil || err2 != nil {
		return cmp.Compare(a.IsInf(), b.IsInf()) // encoding such a value fails anyway
	}
	scale := func(n *big.Int, by int) *big.Int {
		return new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(by)), nil))
	}
	if low := min(e, f); e != f {
		x, y = scale(x, e-low), scale(y, f-low)
	}
	return x.Cmp(y)
}

// The bounds of the doubles and of the decimals.
var (
	leastDecimal, _   = bson.ParseDecimal128("-9999999999999999999999999999999999E6111")
	largestDecimal, _ = bson.ParseDecimal128("9999999999999999999999999999999999E6111")
)

func smallestOf(t bson.Type) bson.RawValue {
	if t == bsontype.Double {
		return valueOf(-math.MaxFloat64)
	}
	return valueOf(leastDecimal)
}

func largestOf(t bson.Type) bson.RawValue {
	if t == bsontype.Double {
		return valueOf(math.MaxFloat64)
	}
	return valueOf(largestDecimal)
}

// valueOf encodes a number of a type that always encodes.
func valueOf(v any) bson.RawValue {
	t, data, err := bson.AppendValue(nil, v)
	if err != nil {
		panic("encrypt: " + err.Error())
	}
	return bson.RawValue{Type: t, Value: data}
}
