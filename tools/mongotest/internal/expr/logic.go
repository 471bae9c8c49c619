package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var logic = map[string]function{
	"$eq":  newComparison(func(d int) bool { return d == 0 }),
	"$ne":  newComparison(func(d int) bool { return d != 0 }),
	"$gt":  newComparison(func(d int) bool { return d > 0 }),
	"$gte": newComparison(func(d int) bool { return d >= 0 }),
	"$lt":  newComparison(func(d int) bool { return d < 0 }),
	"$lte": newComparison(func(d int) bool { return d <= 0 }),
	"$cmp": {2, 2, func(env *Env, args []bson.RawValue) (bson.RawValue, error) {
		d := compareAny(env, args[0], args[1])
		return value.Int32(int32(max(-1, min(1, d)))), nil
	}},
	"$not": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		return value.Bool(!value.IsTruthy(args[0])), nil
	}},
}

func newComparison(holds func(int) bool) function {
	return function{2, 2, func(env *Env, args []bson.RawValue) (bson.RawValue, error) {
		return value.Bool(holds(compareAny(env, args[0], args[1]))), nil
	}}
}

// compareAny compares values of any types. A missing value sorts below null.
func compareAny(env *Env, a, b bson.RawValue) int {
	if a.IsZero() || b.IsZero() {
		return rank(a) - rank(b)
	}
	return compare.Values(a, b, env.collation)
}

func rank(v bson.RawValue) int {
	switch {
	case v.IsZero():
		return 1
	case v.Type == bsontype.MinKey:
		return 0
	}
	return 2
}
