package main

import (
	"go/ast"
	"strings"
)

// Elements of a raw document are plain structs in Onion, and an index that is too large is no error: Index returns the
// element and whether it exists.

// rewriteIndex rewrites raw.Index(i), which panics if there is no such element.
func (f *file) rewriteIndex(n *ast.CallExpr) {
	f.replace(n, f.qualify("bson.Must")+"("+f.indexText(n)+")")
}

// rewriteIndexErr rewrites raw.IndexErr(i), which returns an error if there is no such element.
func (f *file) rewriteIndexErr(n *ast.CallExpr) {
	if f.ignoresSecond(n) { // the code ignores the error, or the bool in its place
		f.replace(n, f.indexText(n))
		return
	}
	f.replace(n, f.useHelper("checkBounds")+"("+f.indexText(n)+")")
}

// indexText writes a call of Index, whose parameter is an int here and a uint there.
func (f *file) indexText(n *ast.CallExpr) string {
	s := n.Fun.(*ast.SelectorExpr)
	return f.text(s.X) + ".Index(" + f.convertText(n.Args[0], f.text(n.Args[0]), "int") + ")"
}

// rewriteElementField rewrites e.KeyErr() and e.ValueErr(): whoever made the element has already checked it.
func (f *file) rewriteElementField(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	field := f.text(s.X) + "." + strings.TrimSuffix(s.Sel.Name, "Err")
	if _, ok := f.parents[n].(*ast.ExprStmt); ok {
		f.report(n, "%s is a field here and cannot fail: remove the call", field)
		return
	}
	if f.ignoresSecond(n) {
		left := f.parents[n].(*ast.AssignStmt).Lhs
		f.replaceRange(left[0].End(), left[1].End(), "")
		f.replace(n, field)
		return
	}
	f.replaceInfallible(n, field)
}

// ignoresSecond reports whether a call's second result is assigned to the blank identifier.
func (f *file) ignoresSecond(n *ast.CallExpr) bool {
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return false
	}
	id, ok := assign.Lhs[1].(*ast.Ident)
	first, isName := assign.Lhs[0].(*ast.Ident)
	return ok && id.Name == "_" && isName && first.Name != "_"
}

// rewriteIsNumber rewrites v.IsNumber().
func (f *file) rewriteIsNumber(n *ast.CallExpr) {
	var types []string
	for _, name := range [...]string{"Double", "Int32", "Int64", "Decimal128"} {
		types = append(types, f.qualify("bsontype."+name))
	}
	f.extra["slices"] = true
	f.replace(n, "slices.Contains([]"+f.qualify("bsontype.Type")+"{"+strings.Join(types, ", ")+"}, "+
		f.text(n.Fun.(*ast.SelectorExpr).X)+".Type)")
}
