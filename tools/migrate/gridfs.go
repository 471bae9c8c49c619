package main

import (
	"go/ast"
	"strings"
)

// A bucket of version 1 takes no contexts and has deadlines of its own.

// rewriteNewBucket rewrites version 1's gridfs.NewBucket(db), whose error is always nil here.
func (f *file) rewriteNewBucket(n *ast.CallExpr) {
	assign, ok := f.parents[n].(*ast.AssignStmt)
	results, returned := f.parents[n].(*ast.ReturnStmt)
	text := f.text(n.Args[0]) + ".GridFSBucket(" + strings.Join(f.argumentTexts(n)[1:], ", ") + ")"
	if !(ok && len(assign.Lhs) == 2 || returned && len(results.Results) == 1) {
		f.report(n, "use %s, which returns no error", text)
		return
	}
	f.replaceInfallible(n, text)
}

// dropBucketDeadline drops the deadline of version 1's bucket if a context set it: here each call takes the context itself.
func (f *file) dropBucketDeadline(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	if !f.isContextDeadline(n.Args[0]) {
		key, _ := f.keyOf(s)
		f.report(n, "%s has no counterpart%s", key, advice(key))
		return
	}
	switch p := f.parents[n].(type) {
	case *ast.ExprStmt:
		f.dropped = append(f.dropped, p)
	case *ast.AssignStmt:
		if isBlank(p.Lhs[0]) {
			f.dropped = append(f.dropped, p)
			break
		}
		f.replaceInfallible(n, "")
	default:
		f.replaceInfallible(n, "")
	}
	f.report(f.functionAround(n), "the deadline of a bucket comes with the context of each call here: "+
		"pass the one whose deadline this function sets")
}

// isContextDeadline reports whether a variable holds what a context's method Deadline returned.
func (f *file) isContextDeadline(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	for def, o := range f.pkg.TypesInfo.Defs {
		assign, ok := f.parents[def].(*ast.AssignStmt)
		if o == nil || o != f.objectOf(id) || !ok || len(assign.Rhs) != 1 {
			continue
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		if !ok {
			return false
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Deadline" && isContext(f.typeOf(s.X))
	}
	return false
}

// functionAround returns the declared function around a node, or the file.
func (f *file) functionAround(n ast.Node) ast.Node {
	for up := f.parents[n]; up != nil; up = f.parents[up] {
		if _, ok := up.(*ast.FuncDecl); ok {
			return up
		}
	}
	return f.tree
}

// addBucketContext adds the context that a method of version 1's bucket did not take.
func (f *file) addBucketContext(n *ast.CallExpr, key string) {
	if !strings.HasPrefix(api[member(key)], "func(context.Context") || strings.HasSuffix(key, "Context") {
		return
	}
	if len(n.Args) == 0 {
		f.insert(n.Rparen, f.contextAt(n))
		return
	}
	f.insert(n.Args[0].Pos(), f.contextAt(n)+", ")
}
