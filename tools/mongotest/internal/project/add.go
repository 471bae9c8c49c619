package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
)

// CompileAdd compiles the computed fields of $addFields. All other fields of a document stay.
func CompileAdd(spec bson.Raw, o Options) (*Projection, error) {
	c := &compiler{options: o, root: &node{}, spec: spec, mode: addition}
	for name, v := range spec.All() {
		if err := c.add(c.root, name, v); err != nil {
			return nil, err
		}
	}
	return &Projection{root: c.root, mode: addition}, nil
}

func (c *compiler) add(parent *node, name string, v bson.RawValue) error {
	d, ok := v.DocumentOK()
	first, some := d.Index(0)
	if !ok || !some || strings.HasPrefix(first.Key, "$") {
		return c.compileExpression(parent, name, v)
	}
	p, err := c.fieldPath(name)
	if err != nil {
		return err
	}
	n, err := parent.nodeBelow(p, name)
	if err != nil {
		return err
	}
	for key, e := range d.All() {
		if err := c.add(n, key, e); err != nil {
			return err
		}
	}
	return nil
}
