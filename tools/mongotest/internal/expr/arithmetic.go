package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var arithmetic = map[string]function{
	"$add":      {0, -1, add},
	"$subtract": {2, 2, subtract},
	"$multiply": {0, -1, multiply},
	"$divide":   {2, 2, divide},
	"$mod":      {2, 2, mod},
	"$abs":      {1, 1, abs},
	"$ceil":     newRounding("$ceil", number.Up),
	"$floor":    newRounding("$floor", number.Down),
	"$round":    {1, 2, newPlaces("$round", number.HalfEven)},
	"$trunc":    {1, 2, newPlaces("$trunc", number.TowardZero)},
}

var missing bson.RawValue

// typeError uses a general code since 6.0, and a code specific to the operator before.
func typeError(env *Env, code, before errcode.Code, format string, args ...any) error {
	if env.wire < wire.Server60 {
		code = before
	}
	return status.Errorf(code, format, args...)
}

// anyNull reports whether an argument is null or missing. That makes most results null.
func anyNull(args []bson.RawValue) bool {
	for _, v := range args {
		if value.IsNullish(v) {
			return true
		}
	}
	return false
}

// add adds numbers. One of the arguments may be a date.
func add(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	sum := value.Int32(0)
	dated := false
	for _, v := range args {
		switch {
		case value.IsNullish(v):
			return value.Null, nil
		case v.Type == bsontype.DateTime && dated:
			return missing, status.Errorf(16612, "only one date allowed in an $add expression")
		case v.Type == bsontype.DateTime:
			ms, _ := v.DateTimeOK()
			dated = true
			v = value.Int64(ms)
		case !number.Is(v.Type):
			return missing, typeError(env, errcode.TypeMismatch, 16554,
				"$add only supports numeric or date types, not %s", value.TypeName(v))
		}
		if !dated {
			sum, _ = number.Plus(sum, v)
			continue
		}
		var err error
		if sum, err = addTime(sum, v, number.Add); err != nil {
			return missing, err
		}
	}
	if dated {
		ms, _ := sum.AsInt64OK()
		return value.DateTime(ms), nil
	}
	return narrow(sum, args), nil
}

// addTime computes in milliseconds. It rounds both sides to longs and fails on overflow.
func addTime(a, b bson.RawValue, f func(a, b bson.RawValue) (bson.RawValue, bool)) (bson.RawValue, error) {
	m, ok := number.RoundInt64(a)
	n, fits := number.RoundInt64(b)
	sum, overflow := f(value.Int64(m), value.Int64(n))
	if !ok || !fits || overflow {
		return missing, status.Errorf(errcode.Overflow, "date overflow")
	}
	return sum, nil
}

// narrow turns a long result back into an int if all arguments were ints and the result fits.
func narrow(result bson.RawValue, args []bson.RawValue) bson.RawValue {
	if result.Type != bsontype.Int64 {
		return result
	}
	for _, v := range args {
		if v.Type != bsontype.Int32 {
			return result
		}
	}
	n, _ := result.AsInt64OK()
	return value.Integer(n)
}

func subtract(env *Env, args []bson.RawValue) (bson.RawValue, error) {
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
		v, err := addTime(value.Int64(m), b, number.Subtract)
		if err != nil {
			return missing, err
		}
		ms, _ := v.AsInt64OK()
		return value.DateTime(ms), nil
	case a.Type == bsontype.DateTime:
		return missing, typeError(env, errcode.TypeMismatch, 16613, "can't $subtract %s from Date", value.TypeName(b))
	}
	return missing, typeError(env, errcode.TypeMismatch, 16556, "can't $subtract %s from %s", value.TypeName(b), value.TypeName(a))
}

func multiply(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	product := value.Int32(1)
	for _, v := range args {
		switch {
		case value.IsNullish(v):
			return value.Null, nil
		case !number.Is(v.Type):
			return missing, typeError(env, errcode.TypeMismatch, 16555, "$multiply only supports numeric types, not %s", value.TypeName(v))
		}
		product, _ = number.Multiply(product, v)
	}
	return narrow(product, args), nil
}

func divide(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, b := args[0], args[1]
	switch {
	case anyNull(args):
		return value.Null, nil
	case !number.Is(a.Type) || !number.Is(b.Type):
		return missing, typeError(env, errcode.TypeMismatch, 16609,
			"$divide only supports numeric types, not %s and %s", value.TypeName(a), value.TypeName(b))
	case number.IsZeroValue(b):
		return missing, typeError(env, errcode.BadValue, 16608, "can't $divide by zero")
	}
	return number.Divide(a, b), nil
}

func mod(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, b := args[0], args[1]
	switch {
	case anyNull(args):
		return value.Null, nil
	case !number.Is(a.Type) || !number.Is(b.Type):
		return missing, status.Errorf(errcode.Location16611,
			"$mod only supports numeric types, not %s and %s", value.TypeName(a), value.TypeName(b))
	case number.IsZeroValue(b) && (a.Type == bsontype.Decimal128 || b.Type == bsontype.Decimal128):
		return missing, typeError(env, 5733415, 16610, "can't $mod by zero")
	case number.IsZeroValue(b):
		return missing, status.Errorf(errcode.Location16610, "can't $mod by zero")
	}
	return number.Mod(a, b), nil
}

func abs(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	if err := checkNumber("$abs", args[0]); err != nil || anyNull(args) {
		return value.Null, err
	}
	v, overflow := number.Abs(args[0])
	if overflow {
		return missing, status.Errorf(28680, "can't take $abs of long long min")
	}
	return v, nil
}

// checkNumber refuses any value except numbers and null.
func checkNumber(name string, v bson.RawValue) error {
	if value.IsNullish(v) || number.Is(v.Type) {
		return nil
	}
	return status.Errorf(28765, "%s only supports numeric types, not %s", name, value.TypeName(v))
}

func newRounding(name string, how number.Rounding) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := checkNumber(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		return number.Round(args[0], 0, how), nil
	}}
}

func newPlaces(name string, how number.Rounding) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		v, place := args[0], int64(0)
		switch {
		case value.IsNullish(v):
			return value.Null, nil
		case !number.Is(v.Type):
			return missing, status.Errorf(51081, "%s only supports numeric types, not %s", name, value.TypeName(v))
		}
		if len(args) == 2 {
			if value.IsNullish(args[1]) {
				return value.Null, nil
			}
			if !number.Is32(args[1]) {
				return missing, status.Errorf(51082, "precision argument to  %s must be a integral value", name)
			}
			if place, _ = number.ExactInt64(args[1]); place < -20 || place > 100 {
				return missing, status.Errorf(51083, "cannot apply %s with precision value %d value must be in [-20, 100]", name, place)
			}
		}
		out := number.Round(v, int(place), how)
		if out.Type == bsontype.Double && v.Type != bsontype.Double {
			return missing, status.Errorf(51080,
				"invalid conversion from Decimal128 result in %s resulting from arguments: [%s, %d]", name, status.TextOf(v), place)
		}
		return out, nil
	}
}
