package query

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

// Constraint is a condition on one path that every matching document meets. A planner turns it into index bounds.
type Constraint struct {
	Path    string
	Op      string // $eq, $in, $gt, $gte, $lt, $lte, $exists, $regex, $mod, $type
	Values  []bson.RawValue
	Negated bool     // the condition must not hold
	Expr    bool     // the condition comes from $expr
	Element *Element // the innermost $elemMatch around the condition
}

// Element is one $elemMatch. The conditions in it hold for one and the same element of an array.
type Element struct {
	parts int // the components of the array's path
	outer *Element
}

// Shared returns the number of leading path components for which two conditions concern the same array elements.
func (c *Constraint) Shared(other *Constraint) int {
	for a := c.Element; a != nil; a = a.outer {
		for b := other.Element; b != nil; b = b.outer {
			if a == b {
				return a.parts
			}
		}
	}
	return 0
}

// Constraints lists the conditions that an index can use. The query must still test the others on each document.
func (f *Filter) Constraints() []Constraint {
	var out []Constraint
	constraints(f.root, "", nil, &out)
	return out
}

// constraints appends the conditions of a node. prefix is the path of the $elemMatch around it, with a dot.
func constraints(n node, prefix string, in *Element, out *[]Constraint) {
	switch n := n.(type) {
	case and:
		for _, child := range n {
			constraints(child, prefix, in, out)
		}
	case not:
		if child, ok := n.child.(*leaf); ok && child.cond.op != "$elemMatch" {
			from := len(*out)
			constrain(prefix+child.name, &child.cond, in, out)
			for i := range (*out)[from:] {
				(*out)[from+i].Negated = !(*out)[from+i].Negated
			}
		}
	case *leaf:
		constrain(prefix+n.name, &n.cond, in, out)
	}
}

// constrain appends the constraint of a condition on a path. A number in the path of an $elemMatch is a position, and the array at
// a position has no keys of its elements.
func constrain(name string, cond *condition, in *Element, out *[]Constraint) {
	if in != nil && slices.ContainsFunc(strings.Split(name, "."), path.IsIndex) {
		return
	}
	c := Constraint{Path: name, Op: cond.op, Values: []bson.RawValue{cond.operand}, Negated: cond.negated, Element: in}
	switch cond.op {
	case "$eq", "$gt", "$gte", "$lt", "$lte", "$exists", "$mod", "$type":
	case "$ne":
		c.Op = "$eq"
	case "$in", "$nin":
		c.Op, c.Values = "$in", cond.list
	case "$regex":
		c.Values = cond.list
	case "$elemMatch":
		e := &Element{parts: strings.Count(name, ".") + 1, outer: in}
		if cond.fields != nil {
			constraints(cond.fields, name+".", e, out)
		}
		for i := range cond.values {
			constrain(name, &cond.values[i], e, out)
		}
		return
	default:
		return
	}
	if cond.group == nil {
		*out = append(*out, c)
	}
}
