package expr

import (
	"math/rand/v2"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileLogical compiles $and and $or. They stop at the first argument that decides the result.
func (c *compiler) compileLogical(name string, arg bson.RawValue) (eval, error) {
	args, err := c.compileAll(list(arg))
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
			if value.IsTruthy(v) == decides {
				return value.Bool(decides), nil
			}
		}
		return value.Bool(!decides), nil
	}, nil
}

var condSignature = signature{
	names:   []string{"if", "then", "else"},
	unknown: refusal{17083, "Unrecognized parameter to $cond: {arg}"},
	missing: []refusal{
		{17080, "Missing 'if' parameter to $cond"}, {17081, "Missing 'then' parameter to $cond"},
		{17082, "Missing 'else' parameter to $cond"},
	},
}

func (c *compiler) compileCond(arg bson.RawValue) (eval, error) {
	var args []eval
	var err error
	if arg.Type == bsontype.EmbeddedDocument {
		args, err = c.compileArguments("$cond", arg, condSignature)
	} else if args, err = c.compileAll(list(arg)); err == nil {
		err = function{min: 3, max: 3}.check("$cond", len(args))
	}
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := args[0](env)
		switch {
		case err != nil:
			return v, err
		case value.IsTruthy(v):
			return args[1](env)
		}
		return args[2](env)
	}, nil
}

func (c *compiler) compileIfNull(arg bson.RawValue) (eval, error) {
	args, err := c.compileAll(list(arg))
	switch {
	case err != nil:
		return nil, err
	case c.scope.Wire() < wire.Server50 && len(args) != 2:
		return nil, function{min: 2, max: 2}.check("$ifNull", len(args))
	case len(args) < 2:
		return nil, status.Errorf(1257300, "$ifNull needs at least two arguments, had: %d", len(args))
	}
	return func(env *Env) (bson.RawValue, error) {
		for _, arg := range args[:len(args)-1] {
			if v, err := arg(env); err != nil || !value.IsNullish(v) {
				return v, err
			}
		}
		return args[len(args)-1](env)
	}, nil
}

var switchSignature = signature{
	object:  refusal{40060, "$switch requires an object as an argument, found: {type}"},
	unknown: refusal{40067, "$switch found an unknown argument: {arg}"},
}

var branchSignature = signature{
	names:   []string{"case", "then"},
	object:  refusal{40062, "$switch expected each branch to be an object, found: {type}"},
	unknown: refusal{40063, "$switch found an unknown argument to a branch: {arg}"},
	missing: []refusal{
		{40064, "$switch requires each branch have a 'case' expression"}, {40065, "$switch requires each branch have a 'then' expression."},
	},
}

func (c *compiler) compileSwitch(arg bson.RawValue) (eval, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, switchSignature.object.err("$switch", "", arg)
	}
	var branches []presentArguments
	var otherwise eval
	for key, v := range d.All() {
		var err error
		switch key {
		case "branches":
			branches, err = c.readBranches(v)
		case "default":
			otherwise, err = c.compile(v)
		default:
			err = switchSignature.unknown.err("$switch", key, v)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(branches) == 0 {
		return nil, status.Errorf(40068, "$switch requires at least one branch.")
	}
	return func(env *Env) (bson.RawValue, error) {
		for _, b := range branches {
			if v, err := b[0](env); err != nil {
				return v, err
			} else if value.IsTruthy(v) {
				return b[1](env)
			}
		}
		if otherwise == nil {
			return bson.RawValue{}, status.Errorf(errcode.Location40066,
				"$switch could not find a matching branch for an input, and no default was specified.")
		}
		return otherwise(env)
	}, nil
}

func (c *compiler) readBranches(v bson.RawValue) ([]presentArguments, error) {
	if v.Type != bsontype.Array {
		return nil, status.Errorf(40061, "$switch expected an array for 'branches', found: %s", v.Type)
	}
	var out []presentArguments
	for _, b := range value.Elements(v) {
		args, err := c.compileArguments("$switch", b, branchSignature)
		if err != nil {
			return nil, err
		}
		out = append(out, args)
	}
	return out, nil
}

func (c *compiler) compileLet(arg bson.RawValue) (eval, error) {
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
		if err := c.scope.CheckVariable(name); err != nil {
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

func (c *compiler) compileRand(arg bson.RawValue) (eval, error) {
	switch {
	case arg.Type != bsontype.EmbeddedDocument && arg.Type != bsontype.Array:
		return nil, status.Errorf(10065, "invalid parameter: expected an object ($rand)")
	case bson.Raw(arg.Value).Len() > 0:
		return nil, status.Errorf(3040501, "$rand does not currently accept arguments")
	}
	c.varys = true
	return func(*Env) (bson.RawValue, error) { return value.Double(rand.Float64()), nil }, nil
}
