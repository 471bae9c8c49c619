package expr

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var arithmetic = map[string]function{
	"$add":      {0, -1, add},
	"$subtract": {2, 2, subtract},
	"$multiply": {0, -1, multiply},
	"$divide":   {2, 2, divide},
	"$mod":      {2, 2, mod},
	"$abs":      {1, 1, abs},
	"$ceil":     rounding("$ceil", number.Up),
	"$floor":    rounding("$floor", number.Down),
	"$round":    {1, 2, places("$round", number.HalfEven)},
	"$trunc":    {1, 2, places("$trunc", number.TowardZero)},
	"$pow":      {2, 2, pow},
	"$sqrt":     real("$sqrt", math.Sqrt),
	"$exp":      real("$exp", math.Exp),
	"$ln":       real("$ln", math.Log),
	"$log10":    real("$log10", math.Log10),
	"$log":      {2, 2, logarithm},
}

var missing bson.RawValue

// anyNull reports a null or missing argument, which makes most results null.
func anyNull(args []bson.RawValue) bool {
	for _, v := range args {
		if value.Nullish(v) {
			return true
		}
	}
	return false
}

// add adds numbers; one of the arguments may be a date.
func add(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	sum := value.Int32(0)
	var date *int64
	for _, v := range args {
		switch {
		case value.Nullish(v):
			return value.Null, nil
		case number.Is(v.Type):
			sum, _ = number.Add(sum, v)
		case v.Type == bsontype.DateTime && date == nil:
			ms, _ := v.DateTimeOK()
			date = &ms
		case v.Type == bsontype.DateTime:
			return missing, status.Errorf(16612, "only one date allowed in an $add expression")
		default:
			return missing, status.Errorf(errcode.TypeMismatch, "$add only supports numeric or date types, not %s", value.TypeName(v))
		}
	}
	if date == nil {
		return sum, nil
	}
	ms, _ := number.Truncated(number.Round(sum, 0, number.HalfEven))
	return value.DateTime(*date + ms), nil
}

func subtract(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, b := args[0], args[1]
	switch {
	case anyNull(args):
		return value.Null, nil
	case number.Is(a.Type) && number.Is(b.Type):
		v, _ := number.Subtract(a, b)
		return v, nil
	case a.Type == bsontype.DateTime && b.Type == bsontype.DateTime:
		m, _ := a.DateTimeOK()
		n, _ := b.DateTimeOK()
		return value.Int64(m - n), nil
	case a.Type == bsontype.DateTime && number.Is(b.Type):
		m, _ := a.DateTimeOK()
		n, _ := number.Truncated(b)
		return value.DateTime(m - n), nil
	}
	return missing, status.Errorf(errcode.TypeMismatch, "can't $subtract %s from %s", value.TypeName(b), value.TypeName(a))
}

func multiply(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	product := value.Int32(1)
	for _, v := range args {
		switch {
		case value.Nullish(v):
			return value.Null, nil
		case !number.Is(v.Type):
			return missing, status.Errorf(errcode.TypeMismatch, "$multiply only supports numeric types, not %s", value.TypeName(v))
		}
		product, _ = number.Multiply(product, v)
	}
	return product, nil
}

func divide(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, b := args[0], args[1]
	switch {
	case anyNull(args):
		return value.Null, nil
	case !number.Is(a.Type) || !number.Is(b.Type):
		return missing, status.Errorf(errcode.TypeMismatch, "$divide only supports numeric types, not %s and %s", value.TypeName(a), value.TypeName(b))
	case number.IsZeroValue(b):
		return missing, status.Errorf(errcode.BadValue, "can't $divide by zero")
	}
	return number.Divide(a, b), nil
}

func mod(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, b := args[0], args[1]
	switch {
	case anyNull(args):
		return value.Null, nil
	case !number.Is(a.Type) || !number.Is(b.Type):
		return missing, status.Errorf(16611, "$mod only supports numeric types, not %s and %s", value.TypeName(a), value.TypeName(b))
	case number.IsZeroValue(b):
		return missing, status.Errorf(16610, "can't $mod by zero")
	}
	return number.Mod(a, b), nil
}

func abs(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	if err := numeric("$abs", args[0]); err != nil || anyNull(args) {
		return value.Null, err
	}
	v, overflow := number.Abs(args[0])
	if overflow {
		return missing, status.Errorf(28680, "can't take $abs of long long min")
	}
	return v, nil
}

// numeric refuses what is neither a number nor null.
func numeric(name string, v bson.RawValue) error {
	if value.Nullish(v) || number.Is(v.Type) {
		return nil
	}
	return status.Errorf(28765, "%s only supports numeric types, not %s", name, value.TypeName(v))
}

func rounding(name string, how number.Rounding) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := numeric(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		return number.Round(args[0], 0, how), nil
	}}
}

func places(name string, how number.Rounding) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		place := int64(0)
		if len(args) == 2 && !value.Nullish(args[1]) {
			var ok bool
			if place, ok = number.Whole(args[1]); !ok {
				return missing, status.Errorf(51082, "precision argument to  %s must be a integral value", name)
			}
			if place < -20 || place > 100 {
				return missing, status.Errorf(51083, "cannot apply %s with precision value %d value must be in [-20, 100]", name, place)
			}
		}
		if err := numeric(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		return number.Round(args[0], int(place), how), nil
	}
}

func real(name string, f func(float64) float64) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := numeric(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		x := number.Float64(args[0])
		switch {
		case name == "$sqrt" && x < 0:
			return missing, status.Errorf(28714, "$sqrt's argument must be greater than or equal to 0")
		case name == "$ln" && x <= 0:
			return missing, status.Errorf(28766, "$ln's argument must be a positive number, but is %s", status.TextOf(args[0]))
		case name == "$log10" && x <= 0:
			return missing, status.Errorf(28761, "$log10's argument must be a positive number, but is %s", status.TextOf(args[0]))
		}
		return value.Double(f(x)), nil
	}}
}

func pow(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	base, exponent := args[0], args[1]
	switch {
	case anyNull(args):
		return value.Null, nil
	case !number.Is(base.Type):
		return missing, status.Errorf(28762, "$pow's base must be numeric, not %s", value.TypeName(base))
	case !number.Is(exponent.Type):
		return missing, status.Errorf(28763, "$pow's exponent must be numeric, not %s", value.TypeName(exponent))
	case number.IsZeroValue(base) && number.Float64(exponent) < 0:
		return missing, status.Errorf(28764, "$pow cannot take a base of 0 and a negative exponent")
	}
	n, whole := exponent.AsInt64OK()
	if exponent.Type == bsontype.Double || base.Type == bsontype.Double || !whole || n < 0 || base.Type == bsontype.Decimal128 {
		return value.Double(math.Pow(number.Float64(base), number.Float64(exponent))), nil
	}
	return wholePower(base, n), nil
}

// wholePower multiplies integers, and gives a double when they overflow.
func wholePower(base bson.RawValue, n int64) bson.RawValue {
	result, overflow := value.Int32(1), false
	approximate := value.Double(math.Pow(number.Float64(base), float64(n)))
	if b := number.Float64(base); n > 64 && b != 0 && math.Abs(b) != 1 {
		return approximate
	}
	if b, _ := base.AsInt64OK(); b >= -1 && b <= 1 {
		n = min(n, 2+n%2)
	}
	for range n {
		if result, overflow = number.Multiply(result, base); overflow {
			return approximate
		}
	}
	return result
}

func logarithm(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	x, base := number.Float64(args[0]), number.Float64(args[1])
	switch {
	case anyNull(args):
		return value.Null, nil
	case !number.Is(args[0].Type):
		return missing, status.Errorf(28756, "$log's argument must be numeric, not %s", value.TypeName(args[0]))
	case !number.Is(args[1].Type):
		return missing, status.Errorf(28757, "$log's base must be numeric, not %s", value.TypeName(args[1]))
	case x <= 0:
		return missing, status.Errorf(28758, "$log's argument must be a positive number, but is %s", status.TextOf(args[0]))
	case base <= 0 || base == 1:
		return missing, status.Errorf(28759, "$log's base must be a positive number not equal to 1, but is %s", status.TextOf(args[1]))
	}
	return value.Double(math.Log(x) / math.Log(base)), nil
}
