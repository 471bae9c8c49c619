package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

func newCompiler(scope *Scope) *compiler {
	c := &compiler{scope: scope, build: (*compiler).buildOperator}
	if scope != nil {
		c.now = scope.Now
	}
	return c
}

// Compile checks and compiles an expression.
func Compile(v bson.RawValue, scope *Scope) (Node, error) { return CompileWith(v, scope) }

// CompileWith compiles an expression that sees additional variables. EvalWith takes their values.
func CompileWith(v bson.RawValue, scope *Scope, names ...string) (Node, error) {
	return newCompiler(scope).compileNode(v, names...)
}

// PercentileArguments compiles {input, method, p}.
func PercentileArguments(name string, arg bson.RawValue, scope *Scope) (Percentiles, Node, error) {
	c := newCompiler(scope)
	p, input, err := c.compilePercentileArguments(name, arg)
	if err == nil {
		err = c.fold()
	}
	return p, Node{run: input, slots: c.slots, collation: scope.collation(), wire: scope.Wire()}, err
}

// ManyArguments compiles the {n, input} of an accumulator.
func ManyArguments(name string, arg bson.RawValue, scope *Scope) (n, input Node, err error) {
	c := newCompiler(scope)
	args, err := c.compileManyArguments(name, arg)
	if err == nil {
		err = c.fold()
	}
	if err != nil {
		return n, input, err
	}
	n = Node{run: args[0], slots: c.slots, collation: scope.collation(), wire: scope.Wire(), check: scope.Check()}
	input = n
	input.run = args[1]
	if alone, err := Compile(path.Field(bson.Raw(arg.Value), "n"), scope); err == nil {
		n.constant = alone.constant
	}
	return n, input, nil
}
