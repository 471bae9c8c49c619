package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Most errors of Onion that have a name arrive wrapped in one that says more: only errors.Is finds them. ErrNoDocuments
// arrives as it is.

// rewriteComparison rewrites err == mongo.ErrNilDocument.
func (f *file) rewriteComparison(n *ast.BinaryExpr) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	err, named := n.X, n.Y
	if f.isWrappedError(err) {
		err, named = named, err
	}
	if !f.isWrappedError(named) {
		return
	}
	not := ""
	if n.Op == token.NEQ {
		not = "!"
	}
	f.importErrors()
	f.replace(n, not+"errors.Is("+f.text(err)+", "+f.text(named)+")")
}

// reportWrappedCase reports a case for such an error in a switch over errors.
func (f *file) reportWrappedCase(n *ast.CaseClause) {
	for _, e := range n.List {
		if f.isWrappedError(e) {
			f.report(e, "%s arrives wrapped here: a switch with errors.Is in its cases finds it", f.text(e))
		}
	}
}

func (f *file) isWrappedError(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, o := f.keyOf(s)
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && key != "mongo.ErrNoDocuments" && types.Identical(v.Type(), types.Universe.Lookup("error").Type())
}

// importErrors imports package errors, unless the file already has a package of that name, such as pkg/errors, which also has Is.
func (f *file) importErrors() {
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

// dropRepeatedCases removes from a type switch the types that become the type of an earlier case.
func (f *file) dropRepeatedCases(n *ast.TypeSwitchStmt) {
	seen := map[string]bool{}
	for _, statement := range n.Body.List {
		clause := statement.(*ast.CaseClause)
		var kept []string
		for _, e := range clause.List {
			text := f.text(e)
			if named := namedOf(f.typeOf(e)); named != nil && isOfficial(named.Obj()) && seen[text] {
				f.report(n, "%s never reaches this case of the switch: %s is the type of an earlier case here", f.textBefore(e), text)
				continue
			}
			seen[text] = true
			kept = append(kept, text)
		}
		switch len(kept) {
		case len(clause.List):
		case 0:
			f.dropped = append(f.dropped, clause)
		default:
			f.replaceRange(clause.List[0].Pos(), clause.List[len(clause.List)-1].End(), strings.Join(kept, ", "))
		}
	}
}

// textBefore returns the text of a node as the file had it.
func (f *file) textBefore(n ast.Node) string {
	return string(f.src[f.offset(n.Pos()):f.offset(n.End())])
}
