package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// A rule may remove the only use of a variable. Go refuses to compile a variable that nothing uses.

// dropVariables removes the declarations of local variables that the new text no longer reads. One declaration may have been
// all that read another variable.
func (f *file) dropVariables() {
	for range 5 {
		before := len(f.edits)
		for _, id := range f.findUnread() {
			f.dropVariable(id)
		}
		if len(f.edits) == before {
			return
		}
	}
}

// findUnread lists the names in declarations of variables that some line read before and none reads now.
func (f *file) findUnread() (list []*ast.Ident) {
	for id, o := range f.pkg.TypesInfo.Defs {
		v, ok := o.(*types.Var)
		if !ok || v.Kind() != types.LocalVar || id.Name == "_" || !f.holds(id) || f.editAround(id) != nil {
			continue
		}
		uses := slices.DeleteFunc(f.usesOf(o), f.isWritten)
		if len(uses) > 0 && !slices.ContainsFunc(uses, f.remains) {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	return list
}

func (f *file) holds(n ast.Node) bool { return f.tree.FileStart <= n.Pos() && n.Pos() < f.tree.FileEnd }

// isWritten reports whether a name stands on the left of an assignment, which Go does not count as a use.
func (f *file) isWritten(id *ast.Ident) bool {
	assign, ok := f.parents[id].(*ast.AssignStmt)
	return ok && slices.Contains(assign.Lhs, ast.Expr(id))
}

// editAround returns the widest edit around a node.
func (f *file) editAround(n ast.Node) *edit {
	for i := range f.edits {
		if e := &f.edits[i]; e.start <= n.Pos() && n.End() <= e.end && e.start < e.end {
			return e
		}
	}
	return nil
}

// remains reports whether the new text still has a name: its line is as it was, or an edit in its function has the name. A rule
// may have moved the name to another line.
func (f *file) remains(id *ast.Ident) bool {
	if f.editAround(id) == nil {
		return true
	}
	var around ast.Node = id
	for up := f.parents[id]; up != nil; up = f.parents[up] {
		if fn, ok := up.(*ast.FuncDecl); ok {
			around = fn
		}
	}
	name := regexp.MustCompile(`\b` + regexp.QuoteMeta(id.Name) + `\b`)
	return slices.ContainsFunc(f.edits, func(e edit) bool {
		return around.Pos() <= e.start && e.end <= around.End() && name.MatchString(e.text)
	})
}

// isStillWritten reports whether the new text still sets a variable.
func (f *file) isStillWritten(id *ast.Ident) bool { return f.isWritten(id) && f.editAround(id) == nil }

// declaration returns the statement of a block that declares a variable.
func (f *file) declaration(id *ast.Ident) ast.Stmt {
	for up := f.parents[id]; up != nil; up = f.parents[up] {
		if statement, ok := up.(ast.Stmt); ok {
			_, inBlock := f.parents[statement].(*ast.BlockStmt)
			if inBlock && f.editAround(id) == nil {
				return statement
			}
			return nil
		}
	}
	return nil
}

// dropVariable removes a declaration, or what declares the variable in it. A value that a call makes is still made. A variable that is
// still set stays.
func (f *file) dropVariable(id *ast.Ident) {
	if statement := f.declaration(id); statement != nil && slices.ContainsFunc(f.usesOf(f.objectOf(id)), f.isStillWritten) {
		f.insert(statement.End(), "\n_ = "+id.Name)
		return
	}
	switch p := f.parents[id].(type) {
	case *ast.ValueSpec:
		if g, ok := f.parents[p].(*ast.GenDecl); ok && len(p.Names) == 1 && len(g.Specs) == 1 && len(p.Values) == 0 {
			f.dropLine(g)
		} else {
			f.replace(id, "_")
		}
	case *ast.AssignStmt:
		_, inBlock := f.parents[p].(*ast.BlockStmt)
		if len(p.Lhs) == 1 && inBlock && f.isHarmless(p.Rhs[0]) {
			f.dropLine(p)
			return
		}
		f.replace(id, "_")
		declares := slices.ContainsFunc(p.Lhs, func(l ast.Expr) bool {
			other, ok := l.(*ast.Ident)
			return ok && other != id && f.pkg.TypesInfo.Defs[other] != nil && f.text(other) != "_"
		})
		if !declares && p.Tok == token.DEFINE {
			f.replaceRange(p.TokPos, p.TokPos+2, "=")
		}
	}
}

// isHarmless reports whether an expression only makes a value, so it can go.
func (f *file) isHarmless(e ast.Expr) bool {
	calls := false
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || f.pkg.TypesInfo.Types[call.Fun].IsType() {
			_, isFunction := n.(*ast.FuncLit)
			return !isFunction
		}
		fun := call.Fun
		if index, ok := fun.(*ast.IndexExpr); ok {
			fun = index.X
		}
		calls = calls || !f.isCallOf(fun, "reflect", "TypeOf") && !f.isCallOf(fun, "reflect", "TypeFor") &&
			!f.isCallOf(fun, "context", "Background") && !f.isCallOf(fun, "context", "TODO")
		if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Elem" && f.calledOnType(s) {
			calls = false
		}
		return true
	})
	return !calls
}

// calledOnType reports whether a method is one of reflect.Type.
func (f *file) calledOnType(s *ast.SelectorExpr) bool {
	t := f.typeOf(s.X)
	return t != nil && types.TypeString(t, nil) == "reflect.Type"
}

// dropLine removes a statement, and its line where nothing else is on it.
func (f *file) dropLine(n ast.Node) {
	start, end := f.offset(n.Pos()), f.offset(n.End())
	for start > 0 && (f.src[start-1] == '\t' || f.src[start-1] == ' ') {
		start--
	}
	for end < len(f.src) && (f.src[end] == ' ' || f.src[end] == '\t' || f.src[end] == '\r') {
		end++
	}
	if start == 0 || f.src[start-1] != '\n' || end >= len(f.src) || f.src[end] != '\n' {
		f.replace(n, "")
		return
	}
	base := f.tree.FileStart
	f.replaceRange(base+token.Pos(start), base+token.Pos(end+1), "")
}
