package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// Options are what a projection depends on besides itself.
type Options struct {
	Filter *query.Filter // the query of a find, which the positional operator needs; nil in a pipeline
	Scope  *expr.Scope
}

// Projection is a compiled projection. It may be used by several goroutines.
type Projection struct {
	root      *node
	exclusion bool
	filter    *query.Filter
}

// node is what happens to the fields of one level.
type node struct {
	names    []string // in the order of the specification
	children map[string]*node

	include, exclude bool
	compute          *expr.Node
	array            func(v bson.RawValue, position int) (bson.RawValue, error) // $slice, $elemMatch and the positional operator
}

// mode is what a specification's entries say together.
type mode uint8

const (
	undecided mode = iota
	inclusion
	exclusion
)

type compiler struct {
	options Options
	root    *node
	mode    mode
	id      mode // what is said of _id
	slices  bool // only $slice so far: other fields stay
	spec    bson.Raw
}

// Compile checks and compiles a projection.
func Compile(spec bson.Raw, o Options) (*Projection, error) {
	c := &compiler{options: o, root: &node{}, spec: spec}
	for name, v := range spec.All() {
		if err := c.entry(nil, name, v); err != nil {
			return nil, err
		}
	}
	if c.mode == undecided && c.id == inclusion && !c.slices {
		c.mode = inclusion
	}
	p := &Projection{root: c.root, exclusion: c.mode != inclusion, filter: o.Filter}
	if !p.exclusion && c.id == undecided {
		if n := c.root.child("_id"); len(n.names) == 0 {
			n.include = true
		}
	}
	return p, nil
}

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

// decide notes that the projection includes or excludes; it cannot do both.
func (c *compiler) decide(m mode, name string) error {
	if c.mode == undecided {
		c.mode = m
	}
	if c.mode == m {
		return nil
	}
	if m == exclusion {
		return status.Errorf(31254, "Cannot do exclusion on field %s in inclusion projection", name)
	}
	return status.Errorf(31253, "Cannot do inclusion on field %s in exclusion projection", name)
}

// place is the node of a path; a path that goes through, or ends at, another one is an error.
func (c *compiler) place(prefix path.Path, name string) (*node, error) {
	n := c.root
	full := append(prefix[:len(prefix):len(prefix)], path.Parse(name)...)
	for i, f := range full {
		switch {
		case f == "":
			return nil, status.Errorf(15998, "FieldPath field names may not be empty strings.")
		case strings.HasPrefix(f, "$"):
			return nil, status.Errorf(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.")
		}
		if n = n.child(f); n.leaf() {
			return nil, status.Errorf(31249, "Path collision at %s remaining portion %s", strings.Join(full[:i+1], "."), strings.Join(full[i+1:], "."))
		}
	}
	if len(n.names) > 0 {
		return nil, status.Errorf(31250, "Path collision at %s", full)
	}
	return n, nil
}

func (n *node) leaf() bool { return n.include || n.exclude || n.compute != nil || n.array != nil }

// entry compiles one field of the specification.
func (c *compiler) entry(prefix path.Path, name string, v bson.RawValue) error {
	if strings.HasSuffix(name, ".$") && c.options.Filter != nil {
		return c.positional(strings.TrimSuffix(name, ".$"))
	}
	switch {
	case v.Type == bsontype.Boolean || number.Is(v.Type):
		return c.flag(prefix, name, value.Truthy(v))
	case v.Type == bsontype.EmbeddedDocument:
		return c.nested(prefix, name, bson.Raw(v.Value))
	}
	return c.computed(prefix, name, v)
}

func (c *compiler) flag(prefix path.Path, name string, include bool) error {
	n, err := c.place(prefix, name)
	if err != nil {
		return err
	}
	n.include, n.exclude = include, !include
	m := exclusion
	if include {
		m = inclusion
	}
	if name == "_id" && len(prefix) == 0 {
		c.id = m
		return nil
	}
	return c.decide(m, strings.Join(append(prefix[:len(prefix):len(prefix)], name), "."))
}

func (c *compiler) computed(prefix path.Path, name string, v bson.RawValue) error {
	n, err := c.place(prefix, name)
	if err != nil {
		return err
	}
	node, err := expr.Compile(v, c.options.Scope)
	if err != nil {
		return err
	}
	n.compute = &node
	if name == "_id" && len(prefix) == 0 {
		c.id = inclusion
	}
	return c.decide(inclusion, name)
}

// nested is a document: an operator, or the fields of a level below.
func (c *compiler) nested(prefix path.Path, name string, d bson.Raw) error {
	first, ok := d.Index(0)
	if !ok {
		return status.Errorf(51270, "An empty sub-projection is not a valid value. Found empty object at path")
	}
	if !strings.HasPrefix(first.Key, "$") {
		full := append(prefix[:len(prefix):len(prefix)], path.Parse(name)...)
		for key, v := range d.All() {
			if err := c.entry(full, key, v); err != nil {
				return err
			}
		}
		return nil
	}
	if c.options.Filter != nil {
		switch first.Key {
		case "$slice":
			if _, err := sliceArguments(first.Value); err == nil {
				return c.slice(prefix, name, first.Value)
			}
		case "$elemMatch":
			return c.elemMatch(prefix, name, first.Value)
		}
	}
	if first.Key == "$meta" {
		return status.Errorf(errcode.CommandNotSupported, "$meta is not supported: mongotest has no text scores")
	}
	return c.computed(prefix, name, value.Document(d))
}

// CompileAdd compiles the fields that $addFields computes; everything else of a document stays.
func CompileAdd(spec bson.Raw, o Options) (*Projection, error) {
	c := &compiler{options: o, root: &node{}, spec: spec}
	for name, v := range spec.All() {
		if err := c.add(nil, name, v); err != nil {
			return nil, err
		}
	}
	return &Projection{root: c.root, exclusion: true}, nil
}

func (c *compiler) add(prefix path.Path, name string, v bson.RawValue) error {
	if d, ok := v.DocumentOK(); ok {
		if first, some := d.Index(0); some && !strings.HasPrefix(first.Key, "$") {
			full := append(prefix[:len(prefix):len(prefix)], path.Parse(name)...)
			for key, e := range d.All() {
				if err := c.add(full, key, e); err != nil {
					return err
				}
			}
			return nil
		}
	}
	n, err := c.place(prefix, name)
	if err != nil {
		return err
	}
	node, err := expr.Compile(v, c.options.Scope)
	n.compute = &node
	return err
}
