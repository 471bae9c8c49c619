package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// function is an operator that evaluates all its arguments first.
type function struct {
	min, max int // max < 0 is any number
	call     func(env *Env, args []bson.RawValue) (bson.RawValue, error)
}

// operator compiles one {$name: argument}.
func (c *compiler) operator(name string, arg bson.RawValue) (eval, error) {
	if run, ok, err := c.special(name, arg); ok {
		return run, err
	}
	f, ok := lookup(name)
	if !ok {
		return nil, status.Errorf(errcode.InvalidPipelineOperator, "Unrecognized expression '%s'", name)
	}
	list := []bson.RawValue{arg}
	if arg.Type == bsontype.Array {
		list = value.Elements(arg)
	}
	if err := f.check(name, len(list)); err != nil {
		return nil, err
	}
	args, err := c.all(list)
	if err != nil {
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
	case f.max == f.min && n != f.min:
		return status.Errorf(16020, "Expression %s takes exactly %d arguments. %d were passed in.", name, f.min, n)
	case f.max < 0 && n < f.min:
		return status.Errorf(28667, "Expression %s takes at least %d arguments, but %d were passed in.", name, f.min, n)
	case f.max >= 0 && (n < f.min || n > f.max):
		return status.Errorf(28667, "Expression %s takes at least %d arguments, and at most %d, but %d were passed in.", name, f.min, f.max, n)
	}
	return nil
}

// lookup finds a function among the families.
func lookup(name string) (function, bool) {
	for _, family := range [...]map[string]function{arithmetic, logic, text, arrays, sets, conversions, objects} {
		if f, ok := family[name]; ok {
			return f, true
		}
	}
	return function{}, false
}

// special compiles the operators whose argument is not simply a list of expressions.
func (c *compiler) special(name string, arg bson.RawValue) (run eval, ok bool, err error) {
	switch name {
	case "$literal", "$const":
		return literal(arg), true, nil
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
	case "$sum", "$avg", "$min", "$max", "$stdDevPop", "$stdDevSamp":
		run, err = c.accumulate(name, arg)
	case "$rand":
		run, err = c.random(arg)
	case "$getField":
		return c.named(name, wrapField(arg))
	default:
		if parts[name] != nil {
			run, err = c.datePart(name, arg)
			break
		}
		return c.named(name, arg)
	}
	return run, true, err
}

// named compiles the operators that take a document of named arguments.
func (c *compiler) named(name string, arg bson.RawValue) (run eval, ok bool, err error) {
	f, ok := namedFunctions(name)
	if !ok {
		return nil, false, nil
	}
	args, present, err := c.arguments(name, arg, f.names, f.required)
	if err != nil {
		return nil, true, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values := make([]bson.RawValue, len(args))
		for i := range args {
			if !present[i] {
				continue
			}
			var err error
			if values[i], err = args[i](env); err != nil {
				return bson.RawValue{}, err
			}
		}
		return f.call(env, values, present)
	}, true, nil
}

// arguments compiles named arguments; unknown and missing ones are errors.
func (c *compiler) arguments(name string, arg bson.RawValue, names []string, required int) ([]eval, []bool, error) {
	d, isDocument := arg.DocumentOK()
	if !isDocument {
		return nil, nil, status.Errorf(errcode.FailedToParse, "%s only supports an object as its argument", name)
	}
	args, present := make([]eval, len(names)), make([]bool, len(names))
	for key, v := range d.All() {
		i := indexOf(names, key)
		if i < 0 {
			return nil, nil, status.Errorf(errcode.FailedToParse, "Unrecognized argument to %s: %s", name, key)
		}
		var err error
		if args[i], err = c.compile(v); err != nil {
			return nil, nil, err
		}
		present[i] = true
	}
	for i := range required {
		if !present[i] {
			return nil, nil, status.Errorf(errcode.FailedToParse, "Missing '%s' parameter to %s", names[i], name)
		}
	}
	return args, present, nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}
