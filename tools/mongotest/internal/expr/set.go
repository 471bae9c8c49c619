package expr

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var sets = map[string]function{
	"$setUnion":        {0, -1, setUnion},
	"$setIntersection": {0, -1, setIntersection},
	"$setDifference":   {2, 2, setDifference},
	"$setEquals":       {2, -1, setEquals},
	"$setIsSubset":     {2, 2, setIsSubset},
	"$anyElementTrue":  {1, 1, elementsTrue("$anyElementTrue", 17041, true)},
	"$allElementsTrue": {1, 1, elementsTrue("$allElementsTrue", 17040, false)},
}

// members returns the distinct elements of an array in ascending order.
func members(v bson.RawValue, c *collate.Collator) []bson.RawValue {
	list := value.Elements(v)
	slices.SortStableFunc(list, func(a, b bson.RawValue) int { return compare.Values(a, b, c) })
	return slices.CompactFunc(list, func(a, b bson.RawValue) bool { return compare.Equal(a, b, c) })
}

func has(list []bson.RawValue, v bson.RawValue, c *collate.Collator) bool {
	_, found := slices.BinarySearchFunc(list, v, func(a, b bson.RawValue) int { return compare.Values(a, b, c) })
	return found
}

// checkSetArguments checks the operands of a union or an intersection in turn. A null makes the result null.
func checkSetArguments(name string, code errcode.Code, args []bson.RawValue) (null bool, err error) {
	for _, v := range args {
		switch {
		case value.IsNullish(v):
			return true, nil
		case v.Type != bsontype.Array:
			return false, status.Errorf(code, "All operands of %s must be arrays. One argument is of type: %s", name, v.Type)
		}
	}
	return false, nil
}

func setUnion(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	if null, err := checkSetArguments("$setUnion", 17043, args); null || err != nil {
		return value.Null, err
	}
	var all []bson.RawValue
	for _, v := range args {
		all = append(all, value.Elements(v)...)
	}
	return value.ArrayOf(members(value.ArrayOf(all...), env.collation)...), nil
}

func setIntersection(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	if null, err := checkSetArguments("$setIntersection", 17047, args); null || err != nil {
		return value.Null, err
	}
	if len(args) == 0 {
		return value.ArrayOf(), nil
	}
	out := members(args[0], env.collation)
	for _, v := range args[1:] {
		other := members(v, env.collation)
		out = slices.DeleteFunc(out, func(e bson.RawValue) bool { return !has(other, e, env.collation) })
	}
	return value.ArrayOf(out...), nil
}

func setDifference(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	if anyNull(args) {
		return value.Null, nil
	}
	for i, v := range args {
		if v.Type != bsontype.Array {
			return missing, status.Errorf(location(17048+i),
				"both operands of $setDifference must be arrays. %s argument is of type: %s", ordinals[i], v.Type)
		}
	}
	other := members(args[1], env.collation)
	var out []bson.RawValue
	seen := map[string]bool{}
	for _, e := range value.Elements(args[0]) {
		key := string(compare.AppendKey(nil, e, env.collation))
		if !seen[key] && !has(other, e, env.collation) {
			seen[key] = true
			out = append(out, e)
		}
	}
	return value.ArrayOf(out...), nil
}

// ordinals name the two operands in messages.
var ordinals = [...]string{"First", "Second"}

func setEquals(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	for i, v := range args {
		if v.Type != bsontype.Array {
			return missing, status.Errorf(17044,
				"All operands of $setEquals must be arrays. %d-th argument is of type: %s", i+1, value.TypeName(v))
		}
	}
	first := members(args[0], env.collation)
	for _, v := range args[1:] {
		if !slices.EqualFunc(first, members(v, env.collation),
			func(a, b bson.RawValue) bool { return compare.Equal(a, b, env.collation) }) {
			return value.Bool(false), nil
		}
	}
	return value.Bool(true), nil
}

func setIsSubset(env *Env, args []bson.RawValue) (bson.RawValue, error) {
	for i, v := range args {
		if v.Type != bsontype.Array {
			return missing, status.Errorf(location(17046-i*4),
				"both operands of $setIsSubset must be arrays. %s argument is of type: %s", ordinals[i], value.TypeName(v))
		}
	}
	other := members(args[1], env.collation)
	for _, e := range value.Elements(args[0]) {
		if !has(other, e, env.collation) {
			return value.Bool(false), nil
		}
	}
	return value.Bool(true), nil
}

func elementsTrue(name string, code errcode.Code, want bool) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if args[0].Type != bsontype.Array {
			return missing, status.Errorf(code, "%s's argument must be an array, but is %s", name, value.TypeName(args[0]))
		}
		for _, e := range value.Elements(args[0]) {
			if value.IsTruthy(e) == want {
				return value.Bool(want), nil
			}
		}
		return value.Bool(!want), nil
	}
}
