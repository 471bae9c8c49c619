package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func (c *compiler) compileGeneric(parent *node, name, op string, v bson.RawValue) error {
	if c.mode == exclusion {
		if c.options.Scope.Wire() < wire.Server44 {
			return c.decide(inclusion, name)
		}
		return status.Errorf(31252, "Cannot use expression other than $meta in exclusion projection")
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendDocumentEnd(bson.AppendRawValueElement(d, op, v), start)
	err := c.compileExpression(parent, name, value.Document(d))
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

// compileExpression compiles a computed value at a path.
func (c *compiler) compileExpression(parent *node, name string, v bson.RawValue) error {
	e, err := expr.Compile(v, c.options.Scope)
	if err != nil {
		return err
	}
	n, _, err := c.place(parent, name)
	if err != nil {
		return err
	}
	n.compute = e.Eval
	return nil
}
