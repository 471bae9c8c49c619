package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// reportForeignCall reports calls of other modules' functions that take or return the official driver's types.
func (f *file) reportForeignCall(n *ast.CallExpr, s *ast.SelectorExpr) {
	if o, ok := f.objectOf(s.Sel).(*types.Func); ok {
		f.reportForeign(n, o, "%s.%s has the official driver's types in its signature")
	}
}

// reportForeignField reports a field of another module's struct that has a type of the official driver: the module has to move, too.
func (f *file) reportForeignField(n *ast.SelectorExpr) {
	s, ok := f.pkg.TypesInfo.Selections[n]
	if !ok || s.Kind() != types.FieldVal {
		return
	}
	f.reportForeign(n, s.Obj(), foreignField)
}

// reportForeignElement does so for a field in a literal.
func (f *file) reportForeignElement(n *ast.KeyValueExpr) {
	if id, ok := n.Key.(*ast.Ident); ok {
		if v, ok := f.pkg.TypesInfo.Uses[id].(*types.Var); ok && v.IsField() {
			f.reportForeign(n, v, foreignField)
		}
	}
}

const foreignField = "the field %[2]s of %[1]s has a type of the official driver"

// reportForeign reports an object of another module whose type holds one of the official driver. format takes the package and the
// name of the object.
func (f *file) reportForeign(n ast.Node, o types.Object, format string) {
	if o.Pkg() == nil || f.own[o.Pkg().Path()] || strings.HasPrefix(o.Pkg().Path(), officialModule) {
		return
	}
	if strings.Contains(types.TypeString(o.Type(), nil), officialModule) {
		f.report(n, format, o.Pkg().Path(), o.Name())
	}
}
