package query

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Compile checks and compiles a query document.
func Compile(filter bson.Raw, o Options) (*Filter, error) {
	c := &compiler{options: o, operator: (*compiler).compileOperator, keyword: (*compiler).compileKeyword}
	root, err := c.compileDocument(filter)
	if err != nil {
		return nil, err
	}
	if hasNear(root, false) {
		return nil, status.Errorf(errcode.BadValue, "geo $near must be top-level expr")
	}
	if countNear(root) > 1 {
		return nil, status.Errorf(errcode.BadValue, "Too many geoNear expressions")
	}
	return &Filter{root: root, collation: o.Collation, raw: filter, check: o.Scope.Check(), text: c.search, wire: o.Scope.Wire()}, nil
}

// countNear counts the $near of a query's conditions.
func countNear(n node) (count int) {
	switch n := n.(type) {
	case and:
		for _, child := range n {
			count += countNear(child)
		}
	case *Near:
		return 1
	}
	return count
}

// hasNear reports whether a $near is an alternative or is negated. inside says that n is.
func hasNear(n node, inside bool) bool {
	switch n := n.(type) {
	case and:
		return slices.ContainsFunc(n, func(child node) bool { return hasNear(child, inside) })
	case or:
		return slices.ContainsFunc(n, func(child node) bool { return hasNear(child, true) })
	case not:
		return hasNear(n.child, true)
	case *Near:
		return inside
	}
	return false
}
