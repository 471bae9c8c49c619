package main

import (
	"go/ast"
	"slices"
)

// lateDeclaration returns the statement that makes a registry, if functions for it use variables that are declared after it. The codecs
// are then made after the last of these variables is declared. ok is false where another line uses the registry before.
func (f *file) lateDeclaration(top ast.Expr, calls []*ast.CallExpr, lines []ast.Stmt) (late *ast.AssignStmt, ok bool) {
	assign, isAssign := f.parents[top].(*ast.AssignStmt)
	if !isAssign || len(lines) == 0 || !slices.ContainsFunc(calls, func(call *ast.CallExpr) bool { return f.needsLater(call, top) }) {
		return nil, true
	}
	id, isName := assign.Lhs[0].(*ast.Ident)
	if !isName || len(assign.Lhs) != 1 {
		return nil, false
	}
	last := lines[len(lines)-1]
	for _, use := range f.usesOf(f.objectOf(id)) {
		if use.Pos() < assign.End() || use.Pos() > last.End() {
			continue
		}
		if !slices.ContainsFunc(lines, func(line ast.Stmt) bool { return line.Pos() <= use.Pos() && use.End() <= line.End() }) {
			return nil, false
		}
	}
	return assign, true
}

// needsLater reports whether what a call registers names a variable that is declared between the registry and the call.
func (f *file) needsLater(call *ast.CallExpr, top ast.Expr) bool {
	found := false
	for _, arg := range call.Args {
		if f.reflectedType(arg) != nil { // the type takes its place
			continue
		}
		ast.Inspect(arg, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && f.pkg.TypesInfo.Uses[id] != nil && f.isLocalVariable(id) {
				at := f.objectOf(id).Pos()
				found = found || top.End() < at && at < call.Pos() && f.parents[call] != nil
			}
			return !found
		})
	}
	return found
}
