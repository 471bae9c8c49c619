package expr

import "github.com/specdrivers/onion/bson"

var text, arrays, sets, conversions, dates map[string]function

type namedFunction struct {
	names    []string
	required int
	call     func(env *Env, args []bson.RawValue, present []bool) (bson.RawValue, error)
}

func namedFunctions(string) (namedFunction, bool) { return namedFunction{}, false }
