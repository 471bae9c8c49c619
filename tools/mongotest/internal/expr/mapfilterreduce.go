package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// loop is the common part of $map, $filter and $reduce: an array, and a body that sees variables.
type loop struct {
	input, body, extra eval
	slot               int
}

// compileLoop compiles {input, as, <body>}. extra names an optional argument that is evaluated once.
func (c *compiler) compileLoop(name, body, extra string, arg bson.RawValue, notObject, unknown, missing errcode.Code) (*loop, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(notObject, "%s only supports an object as its argument", name)
	}
	for key := range d.All() {
		if key != "input" && key != "as" && key != body && (key != extra || extra == "") {
			return nil, status.Errorf(unknown, "Unrecognized parameter to %s: %s", name, key)
		}
	}
	variable := "this"
	if as := path.Field(d, "as"); !as.IsZero() {
		variable = value.Text(as)
		if err := c.scope.CheckVariable(variable); err != nil {
			return nil, err
		}
	}
	for i, key := range [...]string{"input", body} {
		if path.Field(d, key).IsZero() {
			return nil, status.Errorf(missing+errcode.Code(2*i), "Missing '%s' parameter to %s", key, name)
		}
	}
	l := &loop{}
	var err error
	if l.input, err = c.compile(path.Field(d, "input")); err != nil {
		return nil, err
	}
	if v := path.Field(d, extra); extra != "" && !v.IsZero() {
		if l.extra, err = c.compile(v); err != nil {
			return nil, err
		}
	}
	l.slot = c.bind(variable)
	defer c.unbind(1)
	l.body, err = c.compile(path.Field(d, body))
	return l, err
}

// elements returns the array to loop over. ok is false for null.
func (l *loop) elements(env *Env, code errcode.Code, message string) (out []bson.RawValue, ok bool, err error) {
	v, err := l.input(env)
	switch {
	case err != nil:
		return nil, false, err
	case value.IsNullish(v):
		return nil, false, nil
	case v.Type != bsontype.Array:
		if code == 40080 {
			return nil, false, status.Errorf(code, message, status.TextOf(v))
		}
		return nil, false, status.Errorf(code, message, value.TypeName(v))
	}
	return value.Elements(v), true, nil
}

func (c *compiler) compileMap(arg bson.RawValue) (eval, error) {
	l, err := c.compileLoop("$map", "in", "", arg, 16878, 16879, 16880)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		list, ok, err := l.elements(env, 16883, "input to $map must be an array not %s")
		if err != nil || !ok {
			return value.Null, err
		}
		for i, e := range list {
			if err := env.check.Err(); err != nil {
				return value.Null, err
			}
			env.slots[l.slot] = e
			if list[i], err = l.body(env); err != nil {
				return value.Null, err
			}
		}
		return value.ArrayOf(list...), nil
	}, nil
}

func (c *compiler) compileFilter(arg bson.RawValue) (eval, error) {
	limit := "limit"
	if c.scope.Wire() < wire.Server52 {
		limit = ""
	}
	l, err := c.compileLoop("$filter", "cond", limit, arg, 28646, 28647, 28648)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		list, ok, err := l.elements(env, 28651, "input to $filter must be an array not %s")
		if err != nil || !ok {
			return value.Null, err
		}
		limit, err := l.evaluateLimit(env, len(list))
		if err != nil {
			return value.Null, err
		}
		var out []bson.RawValue
		for _, e := range list {
			if int64(len(out)) == limit {
				break
			}
			if err := env.check.Err(); err != nil {
				return value.Null, err
			}
			env.slots[l.slot] = e
			v, err := l.body(env)
			if err != nil {
				return v, err
			}
			if value.IsTruthy(v) {
				out = append(out, e)
			}
		}
		return value.ArrayOf(out...), nil
	}, nil
}

// evaluateLimit returns how many elements $filter may return.
func (l *loop) evaluateLimit(env *Env, all int) (int64, error) {
	if l.extra == nil {
		return int64(all), nil
	}
	v, err := l.extra(env)
	if err != nil || value.IsNullish(v) {
		return int64(all), err
	}
	n, _ := number.ExactInt64(v)
	switch {
	case !number.Is32(v):
		return 0, status.Errorf(327391, "$filter: limit must be represented as a 32-bit integral value: %s", status.TextOf(v))
	case n < 1:
		return 0, status.Errorf(327392, "$filter: limit must be greater than 0: %d", n)
	}
	return n, nil
}

func (c *compiler) compileReduce(arg bson.RawValue) (eval, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(40075, "$reduce requires an object as an argument, found: %s", value.TypeName(arg))
	}
	for key := range d.All() {
		if key != "input" && key != "initialValue" && key != "in" {
			return nil, status.Errorf(40076, "$reduce found an unknown argument: %s", key)
		}
	}
	for i, key := range [...]string{"input", "initialValue", "in"} {
		if path.Field(d, key).IsZero() {
			return nil, status.Errorf(errcode.Code(40077+i), "$reduce requires '%s' to be specified", key)
		}
	}
	input, err := c.compile(path.Field(d, "input"))
	if err != nil {
		return nil, err
	}
	initial, err := c.compile(path.Field(d, "initialValue"))
	if err != nil {
		return nil, err
	}
	this, running := c.bind("this"), c.bind("value")
	defer c.unbind(2)
	body, err := c.compile(path.Field(d, "in"))
	if err != nil {
		return nil, err
	}
	l := &loop{input: input}
	return func(env *Env) (bson.RawValue, error) {
		list, ok, err := l.elements(env, 40080, "$reduce requires that 'input' be an array, found: %s")
		if err != nil || !ok {
			return value.Null, err
		}
		total, err := initial(env)
		for _, e := range list {
			if err == nil {
				err = env.check.Err()
			}
			if err != nil {
				return total, err
			}
			env.slots[this], env.slots[running] = e, total
			total, err = body(env)
		}
		return total, err
	}, nil
}
