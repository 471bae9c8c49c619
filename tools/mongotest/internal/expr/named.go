package expr

import (
	"github.com/specdrivers/onion/bson"
)

func namedFunctions(name string) (namedFunction, bool) {
	for _, family := range [...]map[string]namedFunction{convertNames, texts, calendar, intervals} {
		if f, ok := family[name]; ok {
			return f, true
		}
	}
	return namedFunction{}, false
}

// compileNamed compiles operators that take a document of named arguments.
func (c *compiler) compileNamed(name string, arg bson.RawValue) (run eval, ok bool, err error) {
	f, ok := namedFunctions(name)
	if !ok {
		return nil, false, nil
	}
	args, err := c.compileArguments(name, arg, f.signature)
	if err != nil {
		return nil, true, err
	}
	eager := len(args)
	if f.lazy > 0 {
		eager = f.lazy
	}
	return func(env *Env) (bson.RawValue, error) {
		values := make([]bson.RawValue, eager)
		for i := range eager {
			if args[i] == nil {
				continue
			}
			var err error
			if values[i], err = args[i](env); err != nil {
				return bson.RawValue{}, err
			}
		}
		return f.call(env, values, args)
	}, true, nil
}
