package project

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// step changes a projected document. position is the array index that the query matched, or -1.
type step func(doc bson.Raw, position int) (bson.Raw, error)

// Projection is a compiled projection. It may be used by several goroutines.
type Projection struct {
	root  *node
	mode  mode
	after []step // further steps on the projected document
}

// Options configure the compilation of a projection.
type Options struct {
	Filter *query.Filter // the query of a find, which the positional operator needs; nil in a pipeline
	Scope  *expr.Scope
}

// find reports whether the projection may have $slice, $elemMatch and the positional operator.
func (o *Options) find() bool { return o.Filter != nil }

// node describes what happens to the fields of one level.
type node struct {
	names    []string // in the order of the specification
	children map[string]*node

	include, exclude bool
	compute          func(root bson.Raw) (bson.RawValue, error)
}

func (n *node) isLeaf() bool { return n.include || n.exclude || n.compute != nil }

func (n *node) child(name string) *node {
	if n.children == nil {
		n.children = map[string]*node{}
	}
	child := n.children[name]
	if child == nil {
		child = &node{}
		n.children[name] = child
		n.names = append(n.names, name)
	}
	return child
}

// mode says what happens to the fields that a projection does not name.
type mode uint8

const (
	undecided mode = iota
	inclusion      // leave them out
	exclusion      // keep them
	addition       // keep them, and compute the named ones
)

type compiler struct {
	options Options
	spec    bson.Raw
	root    *node
	mode    mode
	after   []step

	id                                mode // how the projection treats _id
	idNamed                           bool
	positional, elemMatch, slice, met bool // which of these operators it contains
}

// modeOfAmbiguous returns the mode of a projection that names only _id and operators that do not decide the mode.
func (c *compiler) modeOfAmbiguous() mode {
	switch {
	case c.slice:
		if c.id == inclusion {
			return inclusion
		}
	case c.elemMatch, c.met && !c.options.find(), c.id == inclusion:
		return inclusion
	}
	return exclusion
}

// decide records that the projection includes or excludes. It cannot do both.
func (c *compiler) decide(m mode, name string) error {
	if c.mode == undecided {
		c.mode = m
	}
	switch {
	case c.mode == m:
		return nil
	case c.options.Scope.Wire() < wire.Server44 && m == exclusion:
		return status.Errorf(40178,
			"Bad projection specification, cannot exclude fields other than '_id' in an inclusion projection: %s", status.Text(c.spec))
	case c.options.Scope.Wire() < wire.Server44:
		return status.Errorf(40179,
			"Bad projection specification, cannot include fields or add computed fields during an exclusion projection: %s",
			status.Text(c.spec))
	case m == exclusion:
		return status.Errorf(errcode.Location31254, "Cannot do exclusion on field %s in inclusion projection", name)
	}
	return status.Errorf(errcode.Location31253, "Cannot do inclusion on field %s in exclusion projection", name)
}

// fieldPath checks the name of an element of the specification.
func (c *compiler) fieldPath(name string) (path.Path, error) {
	return path.ParseField(name, c.options.Scope.Wire() >= wire.Server50)
}

// place returns the node of a path below another node. A path that collides with another path is an error.
func (c *compiler) place(parent *node, name string) (*node, path.Path, error) {
	p, err := c.fieldPath(name)
	if err != nil {
		return nil, nil, err
	}
	n := parent
	for i, f := range p {
		existed := n.children[f] != nil
		n = n.child(f)
		switch {
		case i == len(p)-1 && existed:
			return nil, nil, status.Errorf(errcode.Location31250, "Path collision at %s", name)
		case i < len(p)-1 && n.isLeaf():
			return nil, nil, status.Errorf(errcode.Location31249, "Path collision at %s remaining portion %s", name, p[1:])
		}
	}
	return n, p, nil
}
