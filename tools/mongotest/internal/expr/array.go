package expr

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var arrays = map[string]function{
	"$size":         {1, 1, size},
	"$arrayElemAt":  {2, 2, arrayElemAt},
	"$first":        {1, 1, elementAtEnd("$first", 0)},
	"$last":         {1, 1, elementAtEnd("$last", -1)},
	"$concatArrays": {0, -1, concatArrays},
	"$isArray": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		return value.Bool(args[0].Type == bsontype.Array), nil
	}},
	"$in":           {2, 2, in},
	"$indexOfArray": {2, 4, indexOfArray},
	"$range":        {2, 3, evalRange},
	"$reverseArray": {1, 1, reverseArray},
	"$slice":        {2, 3, slice},
}

// rangeMax limits how many numbers $range makes.
const rangeMax = 6_500_000

func size(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	if args[0].Type != bsontype.Array {
		return missing, status.Errorf(errcode.Location17124,
			"The argument to $size must be an array, but was of type: %s", value.TypeName(args[0]))
	}
	return value.Int32(int32(bson.RawArray(args[0].Value).Len())), nil
}

func arrayElemAt(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	n, _ := number.ExactInt64(args[1])
	switch {
	case anyNull(args):
		return value.Null, nil
	case args[0].Type != bsontype.Array:
		return missing, status.Errorf(28689, "$arrayElemAt's first argument must be an array, but is %s", args[0].Type)
	case !number.Is(args[1].Type):
		return missing, status.Errorf(28690, "$arrayElemAt's second argument must be a numeric value, but is %s", args[1].Type)
	case !number.Is32(args[1]):
		return missing, status.Errorf(28691,
			"$arrayElemAt's second argument must be representable as a 32-bit integer: %s", doubleText(number.Float64(args[1])))
	}
	return elementAt(value.Elements(args[0]), n), nil
}

func elementAt(list []bson.RawValue, n int64) bson.RawValue {
	if n < 0 {
		n += int64(len(list))
	}
	if n < 0 || n >= int64(len(list)) {
		return missing
	}
	return list[n]
}

func elementAtEnd(name string, n int64) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		switch {
		case value.IsNullish(args[0]):
			return value.Null, nil
		case args[0].Type != bsontype.Array:
			return missing, status.Errorf(28689, "%s's argument must be an array, but is %s", name, args[0].Type)
		}
		return elementAt(value.Elements(args[0]), n), nil
	}
}

func concatArrays(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	var out []bson.RawValue
	for _, v := range args {
		switch {
		case value.IsNullish(v):
			return value.Null, nil
		case v.Type != bsontype.Array:
			return missing, status.Errorf(28664, "$concatArrays only supports arrays, not %s", v.Type)
		}
		out = append(out, value.Elements(v)...)
	}
	return value.ArrayOf(out...), nil
}

func in(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	if args[1].Type != bsontype.Array {
		return missing, status.Errorf(40081, "$in requires an array as a second argument, found: %s", value.TypeName(args[1]))
	}
	found := slices.ContainsFunc(value.Elements(args[1]), func(e bson.RawValue) bool {
		return !args[0].IsZero() && compare.Equal(e, args[0], env.collation)
	})
	return value.Bool(found), nil
}

func indexOfArray(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	switch {
	case value.IsNullish(args[0]):
		return value.Null, nil
	case args[0].Type != bsontype.Array:
		return missing, status.Errorf(40090, "$indexOfArray requires an array as a first argument, found: %s", args[0].Type)
	}
	list := value.Elements(args[0])
	from, to, err := readWindow("$indexOfArray", args)
	if err != nil {
		return missing, err
	}
	for i := from; i < min(to, int64(len(list))); i++ {
		if !args[1].IsZero() && compare.Equal(list[i], args[1], env.collation) {
			return value.Int32(int32(i)), nil
		}
	}
	return value.Int32(-1), nil
}

func evalRange(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	bounds := [3]int64{0, 0, 1}
	for i, v := range args {
		what := [...]string{"a starting", "an ending", "a step"}[i]
		switch {
		case !number.Is(v.Type):
			return missing, status.Errorf(location(34443+2*i),
				"$range requires a numeric %s value, found value of type: %s", what[strings.Index(what, " ")+1:], value.TypeName(v))
		case !number.Is32(v):
			return missing, status.Errorf(location(34444+2*i),
				"$range requires %s value that can be represented as a 32-bit integer, found value: %s", what, status.TextOf(v))
		}
		bounds[i], _ = number.ExactInt64(v)
	}
	step := bounds[2]
	if step == 0 {
		return missing, status.Errorf(34449, "$range requires a non-zero step value")
	}
	if n := (bounds[1] - bounds[0]) / step; n > rangeMax {
		return missing, status.Errorf(errcode.ExceededMemoryLimit,
			"$range would use too much memory (%d bytes) and cannot spill to disk. Memory limit: 104857600 bytes", n*16+24)
	}
	var out []bson.RawValue
	for n := bounds[0]; step > 0 && n < bounds[1] || step < 0 && n > bounds[1]; n += step {
		out = append(out, value.Int32(int32(n)))
	}
	return value.ArrayOf(out...), nil
}

func reverseArray(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	switch {
	case value.IsNullish(args[0]):
		return value.Null, nil
	case args[0].Type != bsontype.Array:
		return missing, status.Errorf(34435, "The argument to $reverseArray must be an array, but was of type: %s", args[0].Type)
	}
	list := value.Elements(args[0])
	slices.Reverse(list)
	return value.ArrayOf(list...), nil
}

func slice(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	if anyNull(args[:2]) {
		return value.Null, nil
	}
	n, _ := number.ExactInt64(args[1])
	switch {
	case args[0].Type != bsontype.Array:
		return missing, status.Errorf(28724, "First argument to $slice must be an array, but is of type: %s", args[0].Type)
	case !number.Is(args[1].Type):
		return missing, status.Errorf(28725, "Second argument to $slice must be a numeric value, but is of type: %s", args[1].Type)
	case !number.Is32(args[1]):
		return missing, status.Errorf(28726,
			"Second argument to $slice can't be represented as a 32-bit integer: %s", doubleText(number.Float64(args[1])))
	}
	list := value.Elements(args[0])
	total := int64(len(list))
	if len(args) == 2 {
		if n >= 0 {
			return value.ArrayOf(list[:min(n, total)]...), nil
		}
		return value.ArrayOf(list[max(0, total+n):]...), nil
	}
	count, _ := number.ExactInt64(args[2])
	switch {
	case value.IsNullish(args[2]):
		return value.Null, nil
	case !number.Is(args[2].Type):
		return missing, status.Errorf(28727, "Third argument to $slice must be numeric, but is of type: %s", args[2].Type)
	case !number.Is32(args[2]):
		return missing, status.Errorf(28728,
			"Third argument to $slice can't be represented as a 32-bit integer: %s", doubleText(number.Float64(args[2])))
	case count <= 0:
		return missing, status.Errorf(28729, "Third argument to $slice must be positive: %d", count)
	}
	if n < 0 {
		n = max(0, total+n)
	}
	n = min(n, total)
	return value.ArrayOf(list[n:min(total, n+count)]...), nil
}
