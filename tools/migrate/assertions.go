package main

import (
	"go/ast"
	"strings"
)

// rewriteEqualErrors rewrites a test's comparison of an error that arrives wrapped: require.Equal(t, mongo.ErrNilDocument, err) and its
// kin in testify become require.ErrorIs(t, err, mongo.ErrNilDocument).
func (f *file) rewriteEqualErrors(n *ast.CallExpr, s *ast.SelectorExpr) {
	o := f.objectOf(s.Sel)
	if o == nil || o.Pkg() == nil {
		return
	}
	stem, formats := strings.CutSuffix(s.Sel.Name, "f")
	name := map[string]string{
		"Equal": "ErrorIs", "EqualValues": "ErrorIs", "Exactly": "ErrorIs", "Same": "ErrorIs", "NotEqual": "NotErrorIs",
		"NotEqualValues": "NotErrorIs",
	}[stem]
	testify := strings.HasPrefix(o.Pkg().Path(), "github.com/stretchr/testify/")
	if name == "" || !testify && o.Pkg().Scope().Lookup(name) == nil { // testify, or a copy of it
		return
	}
	if formats {
		name += "f"
	}
	for i, named := range n.Args {
		if i > 2 || !f.isWrappedError(named) {
			continue
		}
		// The two values come first in methods, and after the test in functions.
		first := 0
		if t := f.typeOf(n.Args[0]); t != nil && strings.HasSuffix(t.String(), "TestingT") || f.pkg.TypesInfo.Selections[s] == nil {
			first = 1
		}
		other := 2*first + 1 - i
		if other < 0 || other >= len(n.Args) || other == i {
			return
		}
		err, target := f.text(n.Args[other]), f.text(named)
		f.replace(n.Args[first], err)
		f.replace(n.Args[first+1], target)
		f.replace(s.Sel, name)
		return
	}
}

// rewriteListerAssertion rewrites opts.(*options.FindOptionsBuilder): options have one type here, which nothing asserts.
func (f *file) rewriteListerAssertion(n *ast.TypeAssertExpr) {
	from := namedOf(f.typeOf(n.X))
	if n.Type == nil || from == nil || !isOfficial(from.Obj()) || from.Obj().Name() != "Lister" {
		return
	}
	to := namedOf(f.typeOf(n.Type))
	if to == nil || !isOfficial(to.Obj()) || !strings.HasSuffix(to.Obj().Name(), "OptionsBuilder") {
		return
	}
	text := f.text(n.X)
	if assign, ok := f.parents[n].(*ast.AssignStmt); ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1 {
		text += ", true"
	}
	f.replace(n, text)
}
