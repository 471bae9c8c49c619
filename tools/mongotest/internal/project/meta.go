package project

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
)

// compileMetadata projects a document's metadata to a path. It does not decide whether the projection includes or excludes.
func (c *compiler) compileMetadata(parent *node, name string, v bson.RawValue) error {
	kind, err := expr.CheckMeta(v)
	if err != nil {
		return err
	}
	m := c.options.Scope.Metadata()
	if m == nil {
		return expr.Missing(kind)
	}
	n, _, err := c.place(parent, name)
	if err != nil {
		return err
	}
	m.Want(kind)
	c.met = true
	n.compute = func(root bson.Raw) (bson.RawValue, error) { return m.Of(root, kind), nil }
	return nil
}
