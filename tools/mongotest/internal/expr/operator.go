package expr

import (
	"github.com/specdrivers/onion/bson"
)

// buildOperator compiles an operator of any kind.
func (c *compiler) buildOperator(name string, arg bson.RawValue) (eval, error) {
	if run, ok, err := c.compileSpecial(name, arg); ok {
		return run, err
	}
	f, ok := lookup(name)
	if !ok {
		return nil, unrecognized(name)
	}
	args, err := c.compileAll(list(arg))
	if err != nil {
		return nil, err
	}
	if err := f.check(name, len(args)); err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil {
			return bson.RawValue{}, err
		}
		return f.call(env, values)
	}, nil
}

// lookup finds a function in the families of operators.
func lookup(name string) (function, bool) {
	families := [...]map[string]function{
		arithmetic, reals, bits, logic, text, arrays, sets, conversions, objects, stamps, binaries,
	}
	for _, family := range families {
		if f, ok := family[name]; ok {
			return f, true
		}
	}
	return function{}, false
}

// compileSpecial compiles operators whose argument is not just a list of expressions.
func (c *compiler) compileSpecial(name string, arg bson.RawValue) (run eval, ok bool, err error) {
	switch name {
	case "$literal", "$const":
		return literal(arg), true, nil
	case "$function":
		if c.scope.Engine() == nil {
			return nil, false, nil
		}
		run, err = c.function(arg)
	case "$similarityCosine", "$similarityDotProduct", "$similarityEuclidean":
		run, err = c.similarity(name, arg)
	case "$meta":
		run, err = c.meta(arg)
	case "$expr":
		run, err = c.compile(arg)
	case "$and", "$or":
		run, err = c.logical(name, arg)
	case "$cond":
		run, err = c.cond(arg)
	case "$ifNull":
		run, err = c.ifNull(arg)
	case "$switch":
		run, err = c.branches(arg)
	case "$let":
		run, err = c.let(arg)
	case "$map":
		run, err = c.mapArray(arg)
	case "$filter":
		run, err = c.filter(arg)
	case "$reduce":
		run, err = c.reduce(arg)
	case "$zip":
		run, err = c.zip(arg)
	case "$sortArray":
		run, err = c.sortArray(arg)
	case "$rand":
		run, err = c.random(arg)
	case "$getField":
		run, err = c.getField(arg)
	case "$setField", "$unsetField":
		run, err = c.setField(name, arg)
	default:
		switch {
		case parts[name] != nil:
			run, err = c.datePart(name, arg)
		case IsPercentile(name):
			run, err = c.percentileOf(name, arg)
		case manyNames[name]:
			run, err = c.accumulateMany(name, arg)
		case NewAccumulator(name, nil) != nil:
			run, err = c.accumulate(name, arg)
		default:
			return c.named(name, arg)
		}
	}
	return run, true, err
}
