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
		return nil, errUnrecognized(name)
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
		run, err = c.compileFunction(arg)
	case "$similarityCosine", "$similarityDotProduct", "$similarityEuclidean":
		run, err = c.compileSimilarity(name, arg)
	case "$meta":
		run, err = c.compileMeta(arg)
	case "$expr":
		run, err = c.compile(arg)
	case "$and", "$or":
		run, err = c.compileLogical(name, arg)
	case "$cond":
		run, err = c.compileCond(arg)
	case "$ifNull":
		run, err = c.compileIfNull(arg)
	case "$switch":
		run, err = c.compileSwitch(arg)
	case "$let":
		run, err = c.compileLet(arg)
	case "$map":
		run, err = c.compileMap(arg)
	case "$filter":
		run, err = c.compileFilter(arg)
	case "$reduce":
		run, err = c.compileReduce(arg)
	case "$zip":
		run, err = c.compileZip(arg)
	case "$sortArray":
		run, err = c.compileSortArray(arg)
	case "$rand":
		run, err = c.compileRand(arg)
	case "$getField":
		run, err = c.compileGetField(arg)
	case "$setField", "$unsetField":
		run, err = c.compileSetField(name, arg)
	default:
		switch {
		case parts[name] != nil:
			run, err = c.compileDatePart(name, arg)
		case IsPercentile(name):
			run, err = c.compilePercentile(name, arg)
		case manyNames[name]:
			run, err = c.accumulateMany(name, arg)
		case NewAccumulator(name, nil) != nil:
			run, err = c.accumulate(name, arg)
		default:
			return c.compileNamed(name, arg)
		}
	}
	return run, true, err
}
