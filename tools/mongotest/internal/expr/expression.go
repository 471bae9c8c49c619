package expr

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func (c *compiler) compile(v bson.RawValue) (eval, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.Overflow, "BSONObj exceeded maximum nested object depth: %d", depthMax)
	}
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		if strings.HasPrefix(s, "$") {
			return c.compileReference(s)
		}
	case bsontype.Array:
		return c.compileArray(v)
	case bsontype.EmbeddedDocument:
		return c.compileDocument(bson.Raw(v.Value))
	}
	return literal(v), nil
}

func (c *compiler) compileArray(v bson.RawValue) (eval, error) {
	args, err := c.compileAll(value.Elements(v))
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil {
			return bson.RawValue{}, err
		}
		return value.ArrayOf(values...), nil
	}, nil
}

func (c *compiler) compileAll(values []bson.RawValue) ([]eval, error) {
	out := make([]eval, len(values))
	for i, v := range values {
		var err error
		if out[i], err = c.compile(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func evaluate(env *Env, args []eval) ([]bson.RawValue, error) {
	values := make([]bson.RawValue, len(args))
	for i, arg := range args {
		var err error
		if values[i], err = arg(env); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// compileNode compiles a whole expression that sees additional variables.
func (c *compiler) compileNode(v bson.RawValue, names ...string) (Node, error) {
	for _, name := range names {
		c.bind(name)
	}
	run, err := c.compile(v)
	if err == nil {
		err = c.fold()
	}
	if err != nil {
		return Node{}, err
	}
	return Node{
		run: run, slots: c.slots, collation: c.scope.collation(), wire: c.scope.Wire(), check: c.scope.Check(), constant: !c.varys,
	}, nil
}

// compileDocument compiles an operator or a document of expressions.
func (c *compiler) compileDocument(d bson.Raw) (eval, error) {
	if first, ok := d.Index(0); ok && strings.HasPrefix(first.Key, "$") {
		if d.Len() != 1 {
			return nil, status.Errorf(errcode.Location15983,
				"An object representing an expression must have exactly one field: %s", status.Text(d))
		}
		return c.compileOperator(first.Key, first.Value)
	}
	var keys []string
	var values []bson.RawValue
	seen := map[string]bool{}
	for key, v := range d.All() {
		if err := c.checkFieldName(key); err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, status.Errorf(16406, "duplicate field name specified in object literal: %s", status.Text(d))
		}
		seen[key] = true
		keys, values = append(keys, key), append(values, v)
	}
	fields, err := c.compileAll(values)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		dst, start := bson.AppendDocumentStart(nil)
		for i, field := range fields {
			v, err := field(env)
			if err != nil {
				return bson.RawValue{}, err
			}
			if !v.IsZero() {
				dst = bson.AppendRawValueElement(dst, keys[i], v)
			}
		}
		return value.Document(bson.AppendDocumentEnd(dst, start)), nil
	}, nil
}

// compileOperator compiles one {$name: argument}, and notes it if it is constant.
func (c *compiler) compileOperator(name string, arg bson.RawValue) (eval, error) {
	if introduced[name] > c.scope.Wire() {
		return nil, errUnrecognized(name)
	}
	outer := c.varys
	c.varys = false
	run, err := c.build(c, name, arg)
	varys := c.varys
	c.varys = varys || outer
	if err != nil || varys {
		return run, err
	}
	p := &constantPart{run: run}
	c.parts = append(c.parts, p)
	return p.eval, nil
}

// list returns the arguments of an operator: the elements of an array, or the single value.
func list(arg bson.RawValue) []bson.RawValue {
	if arg.Type == bsontype.Array {
		return value.Elements(arg)
	}
	return []bson.RawValue{arg}
}
