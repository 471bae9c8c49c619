package expr

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// reals are the functions on real numbers. A decimal argument gives a decimal result of 34 digits.
var reals = map[string]function{
	"$sqrt":  realFunction("$sqrt", number.Sqrt, 28714, "$sqrt's argument must be greater than or equal to 0"),
	"$exp":   realFunction("$exp", number.Exp, 0, ""),
	"$ln":    realFunction("$ln", number.Ln, 28766, "$ln's argument must be a positive number, but is "),
	"$log10": realFunction("$log10", number.Log10, 28761, "$log10's argument must be a positive number, but is "),
	"$log":   {2, 2, logarithm},
	"$pow":   {2, 2, pow},

	"$sin":   newTrigonometric("$sin", math.Sin, interval{math.Inf(-1), math.Inf(1), true}),
	"$cos":   newTrigonometric("$cos", math.Cos, interval{math.Inf(-1), math.Inf(1), true}),
	"$tan":   newTrigonometric("$tan", math.Tan, interval{math.Inf(-1), math.Inf(1), true}),
	"$asin":  newTrigonometric("$asin", math.Asin, interval{-1, 1, false}),
	"$acos":  newTrigonometric("$acos", math.Acos, interval{-1, 1, false}),
	"$acosh": newTrigonometric("$acosh", math.Acosh, interval{1, math.Inf(1), false}),
	"$atanh": newTrigonometric("$atanh", math.Atanh, interval{-1, 1, false}),
	"$atan":  newTrigonometric("$atan", math.Atan, everything),
	"$asinh": newTrigonometric("$asinh", math.Asinh, everything),
	"$sinh":  newTrigonometric("$sinh", math.Sinh, everything),
	"$cosh":  newTrigonometric("$cosh", math.Cosh, everything),
	"$tanh":  newTrigonometric("$tanh", math.Tanh, everything),
	"$atan2": {2, 2, atan2},

	"$degreesToRadians": newScaled("$degreesToRadians", math.Pi/180, "0.01745329251994329576923690768488613"),
	"$radiansToDegrees": newScaled("$radiansToDegrees", 180/math.Pi, "57.29577951308232087679815481410517"),
}

// realFunction compiles a function with a domain: the positive numbers, and also zero for the square root. With code 0 the
// domain is all numbers.
func realFunction(name string, f func(bson.RawValue) bson.RawValue, code errcode.Code, text string) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := checkNumber(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		switch sign := number.Compare(args[0], value.Int32(0)); {
		case code == 0 || number.IsNaN(args[0]):
		case name == "$sqrt" && sign < 0:
			return missing, status.Errorf(code, "%s", text)
		case name != "$sqrt" && sign <= 0:
			return missing, status.Errorf(code, "%s%s", text, doubleText(number.Float64(args[0])))
		}
		return f(args[0]), nil
	}}
}

// checkNumeric refuses the first argument that is not a number with the refusal of its place. With a null among the
// arguments it refuses none, because the result is null whatever the others are.
func checkNumeric(args []bson.RawValue, refusals ...refusal) error {
	if anyNull(args) {
		return nil
	}
	for i, r := range refusals {
		if !number.Is(args[i].Type) {
			return r.err("", "", args[i])
		}
	}
	return nil
}

func logarithm(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	x, base := args[0], args[1]
	zero := value.Int32(0)
	if err := checkNumeric(args, refusal{28756, "$log's argument must be numeric, not {type}"},
		refusal{28757, "$log's base must be numeric, not {type}"}); err != nil || anyNull(args) {
		return value.Null, err
	}
	switch {
	case !number.IsNaN(x) && number.Compare(x, zero) <= 0:
		return missing, status.Errorf(28758, "$log's argument must be a positive number, but is %s", doubleText(number.Float64(x)))
	case !number.IsNaN(base) && (number.Compare(base, zero) <= 0 || number.Compare(base, value.Int32(1)) == 0):
		return missing, status.Errorf(28759, "$log's base must be a positive number not equal to 1, but is %s",
			doubleText(number.Float64(base)))
	}
	return number.Log(x, base), nil
}

func pow(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	base, exponent := args[0], args[1]
	if err := checkNumeric(args, refusal{28762, "$pow's base must be numeric, not {type}"},
		refusal{28763, "$pow's exponent must be numeric, not {type}"}); err != nil || anyNull(args) {
		return value.Null, err
	}
	switch {
	case number.IsZeroValue(base) && number.Float64(exponent) < 0:
		return missing, status.Errorf(28764, "$pow cannot take a base of 0 and a negative exponent")
	case base.Type == bsontype.Decimal128 || exponent.Type == bsontype.Decimal128:
		return number.PowDecimal(base, exponent), nil
	case base.Type == bsontype.Double || exponent.Type == bsontype.Double:
		return value.Double(math.Pow(number.Float64(base), number.Float64(exponent))), nil
	}
	result, ok := powInteger(base, exponent)
	switch {
	case !ok:
		return value.Double(math.Pow(number.Float64(base), number.Float64(exponent))), nil
	case base.Type == bsontype.Int64 || exponent.Type == bsontype.Int64:
		return value.Int64(result), nil
	}
	return value.Integer(result), nil
}

// powInteger raises an integer to an integer power. ok is false if the result does not fit a long.
func powInteger(base, exponent bson.RawValue) (result int64, ok bool) {
	b, _ := base.AsInt64OK()
	n, _ := exponent.AsInt64OK()
	switch {
	case b == 0 && n > 0:
		return 0, true
	case b == 1 || n == 0:
		return 1, true
	case b == -1:
		return 1 - 2*(n&1), true
	case n < 0 || n > 63:
		return 0, false
	}
	product, overflow := value.Int64(1), false
	for range n {
		if product, overflow = number.Multiply(product, value.Int64(b)); overflow {
			return 0, false
		}
	}
	return product.AsInt64OK()
}

// interval is the domain of a trigonometric function.
type interval struct {
	low, high float64
	open      bool
}

var everything = interval{low: math.NaN()}

func (d interval) has(x float64) bool {
	switch {
	case math.IsNaN(d.low) || math.IsNaN(x):
		return true
	case d.open:
		return d.low < x && x < d.high
	}
	return d.low <= x && x <= d.high
}

func (d interval) String() string {
	left, right := "[", "]"
	if d.open {
		left, right = "(", ")"
	}
	return left + boundText(d.low) + "," + boundText(d.high) + right
}

// boundText prints an infinity as C does.
func boundText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return doubleText(f)
}

func newTrigonometric(name string, f func(float64) float64, domain interval) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := checkNumber(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		x := number.Float64(args[0])
		if !domain.has(x) {
			return missing, status.Errorf(50989, "cannot apply %s to %s, value must in %s", name, boundText(x), domain)
		}
		return number.Curve(name, args[0], f), nil
	}}
}

func atan2(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	for i, v := range args {
		switch {
		case value.IsNullish(v):
			return value.Null, nil
		case !number.Is(v.Type):
			return missing, status.Errorf(location(51044+i), "$atan2 only supports numeric types, not %s", value.TypeName(v))
		}
	}
	return number.Atan2(args[0], args[1]), nil
}

func newScaled(name string, factor float64, decimal string) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := checkNumber(name, args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		by := value.Double(factor)
		if args[0].Type == bsontype.Decimal128 {
			d, _ := number.ParseDecimal(decimal)
			by = d.Value()
		}
		product, _ := number.Multiply(args[0], by)
		return product, nil
	}}
}
