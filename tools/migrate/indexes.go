package main

import (
	"go/ast"
	"go/types"
)

// rewriteDropWithKey rewrites the method of version 1 that drops an index by its keys.
func (f *file) rewriteDropWithKey(n *ast.CallExpr) {
	f.replace(n.Fun.(*ast.SelectorExpr).Sel, "DropWithKey")
	f.dropReply(n)
}

// dropReply drops the server's reply that version 1 returned beside the error.
func (f *file) dropReply(n *ast.CallExpr) {
	if t, ok := f.typeOf(n).(*types.Tuple); !ok || t.Len() != 2 {
		return
	}
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if ok && len(assign.Lhs) == 2 && f.text(assign.Lhs[0]) == "_" {
		f.replaceRange(assign.Lhs[0].Pos(), assign.Lhs[1].Pos(), "")
		return
	}
	if ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1 || f.isOnlyResult(n) {
		f.report(n, "the reply of the server, which %s returns in the official driver, is nil here", n.Fun.(*ast.SelectorExpr).Sel.Name)
		f.replace(n, f.qualify("bson.Raw")+"(nil), "+f.text(n))
		return
	}
	f.report(n, "%s returns the error alone", f.text(n.Fun))
}
