package expr

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// manyNames are the accumulators that return n of their values.
var manyNames = map[string]bool{"$firstN": true, "$lastN": true, "$minN": true, "$maxN": true}

// IsMany reports whether an accumulator takes {n, input}.
func IsMany(name string) bool { return manyNames[name] }

var manySignature = signature{
	names:   []string{"n", "input"},
	unknown: refusal{5787901, "Unknown argument for 'n' operator: {arg}"},
	missing: []refusal{{5787906, "Missing value for 'n'"}, {5787907, "Missing value for 'input'"}},
}

func (c *compiler) compileManyArguments(name string, arg bson.RawValue) (presentArguments, error) {
	if arg.Type != bsontype.EmbeddedDocument {
		code := errcode.Code(5787900)
		if name == "$firstN" || name == "$lastN" {
			code = 5787801
		}
		return nil, status.Errorf(code, "specification must be an object; found %s: %s", name, status.TextOf(arg))
	}
	return c.compileArguments(name, arg, manySignature)
}

// CheckN reads how many values an accumulator returns.
func CheckN(v bson.RawValue) (int64, error) {
	n, whole := number.ExactInt64(v)
	switch {
	case !number.Is(v.Type):
		return 0, status.Errorf(5787902, "Value for 'n' must be of integral type, but found %s", status.TextOf(v))
	case !whole:
		return 0, status.Errorf(5787903, "Value for 'n' must be of integral type, but found %s", status.TextOf(v))
	case n <= 0:
		return 0, status.Errorf(5787908, "'n' must be greater than 0, found %d", n)
	}
	return n, nil
}

// accumulateMany compiles such an accumulator over an array.
func (c *compiler) accumulateMany(name string, arg bson.RawValue) (eval, error) {
	args, err := c.compileManyArguments(name, arg)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil {
			return missing, err
		}
		n, err := CheckN(values[0])
		switch {
		case err != nil:
			return missing, err
		case values[1].Type != bsontype.Array:
			return missing, status.Errorf(5788200, "Input must be an array")
		}
		a := NewMany(name, n, env.collation)
		for _, v := range value.Elements(values[1]) {
			a.Add(v)
		}
		return a.Result(), nil
	}, nil
}

// NewMany makes one of the accumulators in manyNames.
func NewMany(name string, n int64, c *collate.Collator) Accumulator {
	return &manyValues{name: name, n: int(min(n, 1<<31)), collation: c}
}

// manyValues keeps all values and returns n of them. $minN and $maxN ignore null.
type manyValues struct {
	name      string
	n         int
	collation *collate.Collator
	list      []bson.RawValue
}

func (a *manyValues) Add(v bson.RawValue) {
	switch {
	case a.name == "$firstN" && len(a.list) == a.n:
	case a.name != "$firstN" && a.name != "$lastN" && value.IsNullish(v):
	default:
		a.list = append(a.list, v)
	}
}

func (a *manyValues) Result() bson.RawValue {
	list := slices.Clone(a.list)
	sign := 1
	switch a.name {
	case "$lastN":
		list = list[max(0, len(list)-a.n):]
	case "$maxN":
		sign = -1
		fallthrough
	case "$minN":
		slices.SortStableFunc(list, func(x, y bson.RawValue) int { return sign * compare.Values(x, y, a.collation) })
	}
	return value.ArrayOf(list[:min(a.n, len(list))]...)
}
