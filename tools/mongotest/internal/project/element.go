package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileElement compiles one field of the specification.
func (c *compiler) compileElement(parent *node, name string, v bson.RawValue) error {
	positional := strings.HasSuffix(name, ".$")
	switch {
	case positional && !c.options.find():
		return status.Errorf(31324, "Cannot use positional projection in aggregation projection")
	case strings.Contains(name, ".$."):
		return status.Errorf(31394,
			"As of 4.4, it's illegal to specify positional operator in the middle of a path.Positional projection may only be "+
				"used at the end, for example: a.b.$. If the query previously used a form like a.b.$.d, remove the parts following "+
				"the '$' and the results will be equivalent.")
	case v.Type == bsontype.EmbeddedDocument && positional:
		return status.Errorf(31271, "positional projection cannot be used with an expression or sub object")
	case v.Type == bsontype.EmbeddedDocument:
		return c.compileNested(parent, name, bson.Raw(v.Value))
	case v.Type != bsontype.Boolean && !number.Is(v.Type) && positional:
		return status.Errorf(31308, "positional projection cannot be used with a literal")
	case v.Type != bsontype.Boolean && !number.Is(v.Type):
		return c.compileLiteral(parent, name, v)
	case !value.IsTruthy(v) && positional:
		return status.Errorf(31395, "positional projection cannot be used with exclusion")
	case positional:
		return c.compilePositional(parent, name)
	}
	n, _, err := c.place(parent, name)
	if err != nil {
		return err
	}
	n.include, n.exclude = value.IsTruthy(v), !value.IsTruthy(v)
	m := exclusion
	if n.include {
		m = inclusion
	}
	if name == "_id" && parent == c.root {
		c.id = m
		return nil
	}
	return c.decide(m, name)
}

func (c *compiler) compileLiteral(parent *node, name string, v bson.RawValue) error {
	if err := c.compileExpression(parent, name, v); err != nil {
		return err
	}
	if c.mode == exclusion && c.options.Scope.Wire() >= wire.Server44 {
		return status.Errorf(31310, "Cannot use an expression %s: %s in an exclusion projection", name, status.TextOf(v))
	}
	return c.decide(inclusion, name)
}

// compileNested compiles a document: an operator, or the fields of the level below.
func (c *compiler) compileNested(parent *node, name string, d bson.Raw) error {
	first, ok := d.Index(0)
	if !ok {
		if c.options.Scope.Wire() >= wire.Server82 {
			return status.Errorf(errcode.Location51270, "Invalid empty sub-projection: %s", name)
		}
		return status.Errorf(errcode.Location51270, "An empty sub-projection is not a valid value. Found empty object at path")
	}
	p, err := c.fieldPath(name)
	if err != nil {
		return err
	}
	if d.Len() == 1 && strings.HasPrefix(first.Key, "$") {
		return c.compileOperator(parent, name, first.Key, first.Value)
	}
	n, err := parent.nodeBelow(p, name)
	if err != nil {
		return err
	}
	for key, v := range d.All() {
		if err := c.compileElement(n, key, v); err != nil {
			return err
		}
	}
	return nil
}
