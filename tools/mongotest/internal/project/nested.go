package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// nested compiles a document: an operator, or the fields of the level below.
func (c *compiler) nested(parent *node, name string, d bson.Raw) error {
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
		return c.operator(parent, name, first.Key, first.Value)
	}
	n, err := parent.below(p, name)
	if err != nil {
		return err
	}
	for key, v := range d.All() {
		if err := c.element(n, key, v); err != nil {
			return err
		}
	}
	return nil
}

// below returns the node of a path that has further names below it.
func (n *node) below(p path.Path, name string) (*node, error) {
	for i, f := range p {
		n = n.child(f)
		switch {
		case !n.leaf():
		case i < len(p)-1:
			return nil, status.Errorf(errcode.Location31249, "Path collision at %s remaining portion %s", name, p[1:])
		default:
			return nil, status.Errorf(errcode.Location31250, "Path collision at %s", name)
		}
	}
	return n, nil
}

func (c *compiler) operator(parent *node, name, op string, v bson.RawValue) error {
	switch {
	case op == "$slice" && c.options.find():
		return c.findSlice(parent, name, v)
	case op == "$elemMatch" && c.options.find():
		return c.firstElement(parent, name, v)
	case op == "$elemMatch":
		return status.Errorf(errcode.InvalidPipelineOperator, "Cannot use $elemMatch in this context")
	case op == "$meta":
		return c.metadata(parent, name, v)
	}
	return c.generic(parent, name, op, v)
}

func (c *compiler) generic(parent *node, name, op string, v bson.RawValue) error {
	if c.mode == exclusion {
		if c.options.Scope.Wire() < wire.Server44 {
			return c.decide(inclusion, name)
		}
		return status.Errorf(31252, "Cannot use expression other than $meta in exclusion projection")
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendDocumentEnd(bson.AppendRawValueElement(d, op, v), start)
	err := c.expression(parent, name, value.Document(d))
	if e := status.From(err); e != nil {
		if note, unknown := strings.CutPrefix(e.Message, "Unrecognized expression '"+op+"'"); unknown {
			return status.Errorf(31325, "Unknown expression %s%s", op, note)
		}
	}
	if err == nil && c.mode == undecided {
		c.mode = inclusion
	}
	return err
}
