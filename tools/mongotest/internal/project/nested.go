package project

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// nodeBelow returns the node of a path that has further names below it.
func (n *node) nodeBelow(p path.Path, name string) (*node, error) {
	for i, f := range p {
		n = n.child(f)
		switch {
		case !n.isLeaf():
		case i < len(p)-1:
			return nil, status.Errorf(errcode.Location31249, "Path collision at %s remaining portion %s", name, p[1:])
		default:
			return nil, status.Errorf(errcode.Location31250, "Path collision at %s", name)
		}
	}
	return n, nil
}

func (c *compiler) compileOperator(parent *node, name, op string, v bson.RawValue) error {
	switch {
	case op == "$slice" && c.options.find():
		return c.findSlice(parent, name, v)
	case op == "$elemMatch" && c.options.find():
		return c.compileElemMatch(parent, name, v)
	case op == "$elemMatch":
		return status.Errorf(errcode.InvalidPipelineOperator, "Cannot use $elemMatch in this context")
	case op == "$meta":
		return c.compileMetadata(parent, name, v)
	}
	return c.compileGeneric(parent, name, op, v)
}
