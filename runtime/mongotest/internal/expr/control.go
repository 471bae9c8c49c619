package expr

import (
	"math/rand/v2"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// list is the arguments of an operator: the elements of an array, or the one value.
func list(arg bson.RawValue) []bson.RawValue {
	if arg.Type == bsontype.Array {
		return value.Elements(arg)
	}
	return []bson.RawValue{arg}
}

// logical is $and and $or, which stop at the first argument that decides.
func (c *compiler) logical(name string, arg bson.RawValue) (eval, error) {
	args, err := c.all(list(arg))
	if err != nil {
		return nil, err
	}
	decides := name == "$or"
	return func(env *Env) (bson.RawValue, error) {
		for _, arg := range args {
			v, err := arg(env)
			if err != nil {
				return v, err
			}
			if value.Truthy(v) == decides {
				return value.Bool(decides), nil
			}
		}
		return value.Bool(!decides), nil
	}, nil
}

func (c *compiler) cond(arg bson.RawValue) (eval, error) {
	var args []eval
	var err error
	if arg.Type == bsontype.EmbeddedDocument {
		for key := range bson.Raw(arg.Value).All() {
			if indexOf([]string{"if", "then", "else"}, key) < 0 {
				return nil, status.Errorf(17083, "Unrecognized parameter to $cond: %s", key)
			}
		}
		for i, name := range [...]string{"if", "then", "else"} {
			if path.Field(bson.Raw(arg.Value), name).IsZero() {
				return nil, status.Errorf(errcode.Code(17080+i), "Missing '%s' parameter to $cond", name)
			}
		}
		args, _, err = c.arguments("$cond", arg, []string{"if", "then", "else"}, 3)
	} else {
		if err := (function{min: 3, max: 3}).check("$cond", len(list(arg))); err != nil {
			return nil, err
		}
		args, err = c.all(list(arg))
	}
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := args[0](env)
		switch {
		case err != nil:
			return v, err
		case value.Truthy(v):
			return args[1](env)
		}
		return args[2](env)
	}, nil
}

func (c *compiler) ifNull(arg bson.RawValue) (eval, error) {
	args, err := c.all(list(arg))
	if err != nil {
		return nil, err
	}
	if len(args) < 2 {
		return nil, status.Errorf(1257300, "$ifNull needs at least two arguments, had: %d", len(args))
	}
	return func(env *Env) (bson.RawValue, error) {
		for _, arg := range args[:len(args)-1] {
			if v, err := arg(env); err != nil || !value.Nullish(v) {
				return v, err
			}
		}
		return args[len(args)-1](env)
	}, nil
}

func (c *compiler) branches(arg bson.RawValue) (eval, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(40060, "$switch requires an object as an argument, found: %s", value.TypeName(arg))
	}
	var when, then []eval
	var otherwise eval
	for key, v := range d.All() {
		var err error
		switch key {
		case "branches":
			if v.Type != bsontype.Array {
				return nil, status.Errorf(40061, "$switch expected an array for 'branches', found: %s", v.Type)
			}
			for _, b := range value.Elements(v) {
				args, _, err := c.arguments("$switch", b, []string{"case", "then"}, 2)
				if err != nil {
					return nil, err
				}
				when, then = append(when, args[0]), append(then, args[1])
			}
		case "default":
			otherwise, err = c.compile(v)
		default:
			err = status.Errorf(40067, "$switch found an unknown argument: %s", key)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(when) == 0 {
		return nil, status.Errorf(40068, "$switch requires at least one branch.")
	}
	return func(env *Env) (bson.RawValue, error) {
		for i := range when {
			if v, err := when[i](env); err != nil {
				return v, err
			} else if value.Truthy(v) {
				return then[i](env)
			}
		}
		if otherwise == nil {
			return bson.RawValue{}, status.Errorf(40066, "$switch could not find a matching branch for an input, and no default was specified.")
		}
		return otherwise(env)
	}, nil
}

func (c *compiler) let(arg bson.RawValue) (eval, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(16874, "$let only supports an object as its argument")
	}
	for key := range d.All() {
		if key != "vars" && key != "in" {
			return nil, status.Errorf(16875, "Unrecognized parameter to $let: %s", key)
		}
	}
	vars, in := path.Field(d, "vars"), path.Field(d, "in")
	switch {
	case vars.IsZero():
		return nil, status.Errorf(16876, "Missing 'vars' parameter to $let")
	case in.IsZero():
		return nil, status.Errorf(16877, "Missing 'in' parameter to $let")
	case vars.Type != bsontype.EmbeddedDocument:
		return nil, status.Errorf(10065, "invalid parameter: expected an object (vars)")
	}
	var names []string
	var inits []eval
	for name, v := range bson.Raw(vars.Value).All() {
		if err := checkName(name); err != nil && name != "CURRENT" {
			return nil, err
		}
		init, err := c.compile(v)
		if err != nil {
			return nil, err
		}
		names, inits = append(names, name), append(inits, init)
	}
	first := len(c.names)
	for _, name := range names {
		c.bind(name)
	}
	defer c.unbind(len(names))
	body, err := c.compile(in)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, inits)
		if err != nil {
			return bson.RawValue{}, err
		}
		copy(env.slots[first:], values)
		return body(env)
	}, nil
}

func (c *compiler) random(arg bson.RawValue) (eval, error) {
	if arg.Type != bsontype.EmbeddedDocument && arg.Type != bsontype.Array || bson.Raw(arg.Value).Len() > 0 {
		return nil, status.Errorf(3040501, "$rand does not currently accept arguments")
	}
	c.varys = true
	return func(*Env) (bson.RawValue, error) { return value.Double(rand.Float64()), nil }, nil
}
