package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Most errors of Onion that have a name arrive wrapped in one that says more: only errors.Is finds them. ErrNoDocuments
// arrives as it is.

// comparison rewrites err == mongo.ErrNilDocument.
func (f *file) comparison(n *ast.BinaryExpr) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	err, named := n.X, n.Y
	if f.wrappedError(err) {
		err, named = named, err
	}
	if !f.wrappedError(named) {
		return
	}
	not := ""
	if n.Op == token.NEQ {
		not = "!"
	}
	f.needErrors()
	f.replace(n, not+"errors.Is("+f.text(err)+", "+f.text(named)+")")
}

// wrappedCase reports a case for such an error in a switch over errors.
func (f *file) wrappedCase(n *ast.CaseClause) {
	for _, e := range n.List {
		if f.wrappedError(e) {
			f.report(e, "%s arrives wrapped here: a switch with errors.Is in its cases finds it", f.text(e))
		}
	}
}

func (f *file) wrappedError(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, o := f.keyOf(s)
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && key != "mongo.ErrNoDocuments" && types.Identical(v.Type(), types.Universe.Lookup("error").Type())
}

// needErrors has package errors imported, unless the file has another package of that name, such as pkg/errors, which has Is too.
func (f *file) needErrors() {
	for _, s := range f.tree.Imports {
		o := f.pkg.TypesInfo.Implicits[s]
		if s.Name != nil {
			o = f.pkg.TypesInfo.Defs[s.Name]
		}
		if p, ok := o.(*types.PkgName); ok && p.Name() == "errors" && p.Imported().Scope().Lookup("Is") != nil {
			return
		}
	}
	f.extra["errors"] = true
}
