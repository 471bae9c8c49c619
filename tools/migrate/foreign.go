package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// foreign reports calls of other modules' functions that take or return the official driver's types.
func (f *file) foreign(n *ast.CallExpr, s *ast.SelectorExpr) {
	o, ok := f.objectOf(s.Sel).(*types.Func)
	if !ok || o.Pkg() == nil || f.own[o.Pkg().Path()] {
		return
	}
	if strings.HasPrefix(o.Pkg().Path(), officialModule) {
		return
	}
	if text := types.TypeString(o.Type(), nil); strings.Contains(text, officialModule) {
		f.report(n, "%s.%s has the official driver's types in its signature", o.Pkg().Path(), o.Name())
	}
}

// foreignField reports a field of another module's struct that has a type of the official driver: the module has to move, too.
func (f *file) foreignField(n *ast.SelectorExpr) {
	s, ok := f.pkg.TypesInfo.Selections[n]
	if !ok || s.Kind() != types.FieldVal {
		return
	}
	f.reportForeign(n, s.Obj())
}

// foreignElement does so for a field in a literal.
func (f *file) foreignElement(n *ast.KeyValueExpr) {
	if id, ok := n.Key.(*ast.Ident); ok {
		if v, ok := f.pkg.TypesInfo.Uses[id].(*types.Var); ok && v.IsField() {
			f.reportForeign(n, v)
		}
	}
}

func (f *file) reportForeign(n ast.Node, o types.Object) {
	if o.Pkg() == nil || f.own[o.Pkg().Path()] || strings.HasPrefix(o.Pkg().Path(), officialModule) {
		return
	}
	if strings.Contains(types.TypeString(o.Type(), nil), officialModule) {
		f.report(n, "the field %s of %s has a type of the official driver", o.Name(), o.Pkg().Path())
	}
}
