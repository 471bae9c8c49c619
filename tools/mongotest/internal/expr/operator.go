package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// function is an operator that evaluates all its arguments first.
type function struct {
	min, max int // max < 0 allows any number
	call     func(env *Env, args []bson.RawValue) (bson.RawValue, error)
}

// introduced holds the wire version of the first server with each operator. It leaves out the operators that 4.2
// already has.
var introduced = map[string]int32{
	"$isNumber": 9, "$first": 9, "$last": 9, "$replaceOne": 9, "$replaceAll": 9, "$bsonSize": 9, "$binarySize": 9, "$rand": 9,
	"$dateAdd": 13, "$dateSubtract": 13, "$dateDiff": 13, "$dateTrunc": 13, "$getField": 13, "$setField": 13, "$unsetField": 13,
	"$tsSecond": 14, "$tsIncrement": 14,
	"$sortArray": 15, "$firstN": 15, "$lastN": 15, "$minN": 15, "$maxN": 15,
	"$bitAnd": 20, "$bitOr": 20, "$bitXor": 20, "$bitNot": 20, "$toUUID": 25, "$sigmoid": 26, "$subtype": 28,
	"$similarityCosine": 27, "$similarityDotProduct": 27, "$similarityEuclidean": 27, "$median": 21, "$percentile": 21,
}

// absent lists the server's operators that mongotest lacks. They fail like unknown operators, with a note that
// mongotest lacks them.
var absent = map[string]bool{
	"$accumulator": true, "$function": true,

	"$createUUID": true, "$createObjectId": true, "$encStrContains": true,
	"$encStrStartsWith": true, "$encStrEndsWith": true, "$encStrNormalizedEq": true, "$serializeEJSON": true,
	"$deserializeEJSON": true, "$hash": true, "$hexHash": true,
}

func unrecognized(name string) error {
	note := ""
	if absent[name] {
		note = " (mongotest does not have it)"
	}
	return status.Errorf(errcode.InvalidPipelineOperator, "Unrecognized expression '%s'%s", name, note)
}

// operator compiles one {$name: argument}. It evaluates constant expressions at once.
func (c *compiler) operator(name string, arg bson.RawValue) (eval, error) {
	if introduced[name] > c.scope.Wire() {
		return nil, unrecognized(name)
	}
	outer := c.varys
	c.varys = false
	run, err := c.build(name, arg)
	varys := c.varys
	c.varys = varys || outer
	if err != nil || varys {
		return run, err
	}
	env := Node{slots: c.slots, collation: c.scope.collation(), wire: c.scope.Wire()}.env(value.EmptyDocument)
	v, err := run(env)
	if err != nil {
		return nil, &FoldError{err}
	}
	return literal(v), nil
}

func (c *compiler) build(name string, arg bson.RawValue) (eval, error) {
	if run, ok, err := c.special(name, arg); ok {
		return run, err
	}
	f, ok := lookup(name)
	if !ok {
		return nil, unrecognized(name)
	}
	args, err := c.all(list(arg))
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

func (f function) check(name string, n int) error {
	switch {
	case n >= f.min && (n <= f.max || f.max < 0):
		return nil
	case name == "$setEquals":
		return status.Errorf(17045, "$setEquals needs at least two arguments had: %d", n)
	case strings.HasPrefix(name, "$to") && conversions[name].call != nil:
		return status.Errorf(50723, "%s requires a single argument, got %d", name, n)
	case f.max == f.min:
		return status.Errorf(errcode.Location16020, "Expression %s takes exactly %d arguments. %d were passed in.", name, f.min, n)
	}
	return status.Errorf(errcode.Location28667,
		"Expression %s takes at least %d arguments, and at most %d, but %d were passed in.", name, f.min, f.max, n)
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

// special compiles operators whose argument is not just a list of expressions.
func (c *compiler) special(name string, arg bson.RawValue) (run eval, ok bool, err error) {
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

// list returns the arguments of an operator: the elements of an array, or the single value.
func list(arg bson.RawValue) []bson.RawValue {
	if arg.Type == bsontype.Array {
		return value.Elements(arg)
	}
	return []bson.RawValue{arg}
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// Absent lists the server's operators that mongotest lacks, including the ones that need JavaScript.
func Absent() []string { return slices.Sorted(maps.Keys(absent)) }
