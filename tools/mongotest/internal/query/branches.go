package query

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// collect visits the leaves that must all hold.
func collect(n node, visit func(*leaf)) {
	switch n := n.(type) {
	case and:
		for _, child := range n {
			collect(child, visit)
		}
	case *leaf:
		visit(n)
	}
}

// Branches splits the query at the first $or that every document must match. Each branch is a query that combines one
// alternative with all other conditions, and a document must match at least one. A planner looks for an index for each.
// Without such an $or, Branches returns none.
func (f *Filter) Branches() []*Filter {
	spine := and{f.root}
	if all, ok := f.root.(and); ok {
		spine = all
	}
	for i, n := range spine {
		branches, ok := n.(or)
		if !ok {
			continue
		}
		var out []*Filter
		for _, b := range branches {
			whole := and{b}
			whole = append(append(whole, spine[:i]...), spine[i+1:]...)
			part := *f
			part.root = flatten(whole)
			out = append(out, &part)
		}
		return out
	}
	return nil
}

// IsOr reports whether the query is a single $or.
func (f *Filter) IsOr() bool {
	_, ok := f.root.(or)
	return ok
}

// flatten merges nested conjunctions into one.
func flatten(n and) (out and) {
	for _, child := range n {
		if inner, ok := child.(and); ok {
			out = append(out, flatten(inner)...)
		} else {
			out = append(out, child)
		}
	}
	return out
}

// TextAlways reports whether the query has a $text that every document must match.
func (f *Filter) TextAlways() bool {
	spine, _ := f.root.(and)
	return slices.ContainsFunc(append(flatten(spine), f.root), func(n node) bool {
		_, ok := n.(textNode)
		return ok
	})
}

// Equality is a field that the query fixes to one value. An upsert starts from these fields.
type Equality struct {
	Path  string
	Value bson.RawValue
}

// Equalities lists the fields that an upserted document takes from the query. They come from $eq, from $and, from $in
// with one value, from $all, and from $or with one branch.
func (f *Filter) Equalities() []Equality {
	var out []Equality
	equalities(f.root, &out)
	return out
}

func equalities(n node, out *[]Equality) {
	switch n := n.(type) {
	case and:
		for _, child := range n {
			equalities(child, out)
		}
	case *leaf:
		if n.cond.negated {
			return
		}
		switch {
		case n.cond.op == "$eq":
			*out = append(*out, Equality{n.name, n.cond.operand})
		case n.cond.op == "$in" && isOneValue(n.cond.list):
			*out = append(*out, Equality{n.name, n.cond.list[0]})
		}
	}
}

// isOneValue reports whether a list contains only equal values and no pattern.
func isOneValue(list []bson.RawValue) bool {
	for _, v := range list {
		if v.Type == bsontype.Regex || !compare.Equal(v, list[0], nil) {
			return false
		}
	}
	return len(list) > 0
}

// ID returns the value of _id that the query requires, alone or with other conditions. ok is false if it requires none,
// or a value that can equal more than one _id.
func (f *Filter) ID() (id bson.RawValue, ok bool) {
	collect(f.root, func(n *leaf) {
		if n.name == "_id" && n.cond.op == "$eq" && !n.cond.negated && n.cond.group == nil {
			id, ok = n.cond.operand, !value.IsNullish(n.cond.operand) && f.collation == nil && n.cond.operand.Type != bsontype.Array
		}
	})
	return id, ok
}

// Names reports whether the query has a condition on a field or below it.
func (f *Filter) Names(field string) bool { return names(f.root, field) }

func names(n node, field string) bool {
	switch n := n.(type) {
	case and:
		return slices.ContainsFunc(n, func(child node) bool { return names(child, field) })
	case or:
		return slices.ContainsFunc(n, func(child node) bool { return names(child, field) })
	case not:
		return names(n.child, field)
	case *leaf:
		first, _, _ := strings.Cut(n.name, ".")
		return first == field
	}
	return false
}

// UsesExpr reports whether the query has $expr, which an upsert may not have.
func (f *Filter) UsesExpr() bool { return usesExpr(f.root) }

func usesExpr(n node) bool {
	switch n := n.(type) {
	case and:
		return slices.ContainsFunc(n, usesExpr)
	case or:
		return slices.ContainsFunc(n, usesExpr)
	case not:
		return usesExpr(n.child)
	case expression:
		return true
	}
	return false
}
