package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Some calls can fail in the official driver and cannot here. Code that reads their error is removed with it.

// replaceInfallible writes value for a call whose error, its last result, is always nil here. What reads the error goes too, where
// that leaves the rest as it was. An empty value is a call that has gone.
func (f *file) replaceInfallible(n *ast.CallExpr, value string) {
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		f.addNilError(n, value)
		return
	}
	id, ok := assign.Lhs[len(assign.Lhs)-1].(*ast.Ident)
	switch {
	case !ok:
		f.addNilError(n, value)
	case id.Name == "_" && value != "":
		f.dropLastName(n, assign, value)
	case !f.fold(id, assign):
		f.addNilError(n, value)
	case value == "":
		f.dropped = append(f.dropped, f.statementOf(assign))
	default:
		f.dropLastName(n, assign, value)
	}
}

// addNilError writes a nil error after the value, with its type where := takes the type from it.
func (f *file) addNilError(n *ast.CallExpr, value string) {
	text := "nil"
	if declares, ok := f.parents[n].(*ast.AssignStmt); ok && declares.Tok == token.DEFINE {
		text = "error(nil)"
	}
	f.replace(n, strings.TrimPrefix(value+", "+text, ", "))
}

// statementOf returns the if statement that an assignment alone begins and whose check fold has taken, or the assignment.
func (f *file) statementOf(assign *ast.AssignStmt) ast.Node {
	if check, ok := f.parents[assign].(*ast.IfStmt); ok {
		return check
	}
	return assign
}

// dropLastName assigns a value to all the names on the left but the last.
func (f *file) dropLastName(n *ast.CallExpr, assign *ast.AssignStmt, value string) {
	f.replace(n, value)
	left := assign.Lhs[:len(assign.Lhs)-1]
	f.replaceRange(left[len(left)-1].End(), assign.Lhs[len(left)].End(), "")
	if assign.Tok == token.DEFINE && !slices.ContainsFunc(left, func(l ast.Expr) bool {
		other, ok := l.(*ast.Ident)
		return ok && other.Name != "_" && f.pkg.TypesInfo.Defs[other] != nil
	}) {
		f.replaceRange(assign.TokPos, assign.TokPos+2, "=")
	}
}

// fold takes away what reads an error that is nil, from its assignment to the next one, and reports whether it took all of it.
func (f *file) fold(id *ast.Ident, assign *ast.AssignStmt) bool {
	reads, next, ok := f.readsOf(id, assign)
	if !ok {
		return false
	}
	var folds []func()
	for _, read := range reads {
		fold := f.foldOf(read, assign)
		if fold == nil {
			return false
		}
		folds = append(folds, fold)
	}
	if next != nil && (f.pkg.TypesInfo.Defs[id] != nil || f.declaring[assign]) {
		if next.Tok == token.ASSIGN && len(next.Lhs) != 1 {
			return false
		}
		if f.isReadAfter(id, next) {
			folds = append(folds, func() { f.declare(next) })
		} else {
			folds = append(folds, func() { f.replace(f.nameOnLeft(next, id), "_") })
		}
	}
	for _, fold := range folds {
		fold()
	}
	return true
}

// isReadAfter reports whether anything reads a variable after an assignment, or assigns it another time.
func (f *file) isReadAfter(id *ast.Ident, assign *ast.AssignStmt) bool {
	return slices.ContainsFunc(f.usesOf(f.objectOf(id)), func(use *ast.Ident) bool { return use.Pos() >= assign.End() })
}

// nameOnLeft returns the name of a variable on the left of an assignment.
func (f *file) nameOnLeft(assign *ast.AssignStmt, id *ast.Ident) ast.Expr {
	for _, l := range assign.Lhs {
		if other, ok := l.(*ast.Ident); ok && f.objectOf(other) == f.objectOf(id) {
			return l
		}
	}
	return id
}

// declare turns an assignment into the declaration of its name, because the original declaration has gone.
func (f *file) declare(n *ast.AssignStmt) {
	f.declaring[n] = true
	if n.Tok == token.ASSIGN {
		f.replaceRange(n.TokPos, n.TokPos+1, ":=")
	}
}

// readsOf lists what reads an error before a statement of the same block assigns another, which is next. It gives up where the
// error comes from outside the block, so a loop may read it, and where a function or a part of the block assigns it.
func (f *file) readsOf(id *ast.Ident, assign *ast.AssignStmt) (reads []*ast.Ident, next *ast.AssignStmt, ok bool) {
	o := f.objectOf(id)
	home := f.parents[assign]
	block, inBlock := home.(*ast.BlockStmt)
	if o == nil || !inBlock && f.pkg.TypesInfo.Defs[id] == nil || inBlock && !f.isDeclaredIn(block, id) {
		return nil, nil, false
	}
	end := home.End()
	if inBlock {
		at := slices.Index(block.List, ast.Stmt(assign))
		for _, statement := range block.List[at+1:] {
			if a, isAssign := statement.(*ast.AssignStmt); isAssign && f.assigns(a, id) {
				next, end = a, a.End()
				break
			}
		}
	}
	for _, use := range f.usesOf(o) {
		if use.Pos() < assign.End() || use.Pos() >= end {
			continue
		}
		if next != nil && f.parents[use] == next && slices.Contains(next.Lhs, ast.Expr(use)) {
			continue
		}
		if f.isWritten(use) || f.isInsideFunction(use, home) {
			return nil, nil, false
		}
		reads = append(reads, use)
	}
	return reads, next, true
}

func (f *file) assigns(a *ast.AssignStmt, id *ast.Ident) bool {
	return slices.ContainsFunc(a.Lhs, func(l ast.Expr) bool {
		other, ok := l.(*ast.Ident)
		return ok && f.objectOf(other) == f.objectOf(id)
	})
}

// isDeclaredIn reports whether a statement of the block itself declares a name.
func (f *file) isDeclaredIn(block *ast.BlockStmt, id *ast.Ident) bool {
	return slices.ContainsFunc(block.List, func(n ast.Stmt) bool {
		a, ok := n.(*ast.AssignStmt)
		return ok && slices.ContainsFunc(a.Lhs, func(l ast.Expr) bool {
			other, ok := l.(*ast.Ident)
			return ok && f.pkg.TypesInfo.Defs[other] != nil && f.pkg.TypesInfo.Defs[other] == f.objectOf(id)
		})
	})
}

// isInsideFunction reports whether a function literal stands between a name and a block: it may run later.
func (f *file) isInsideFunction(id *ast.Ident, block ast.Node) bool {
	for up := f.parents[id]; up != nil && up != block; up = f.parents[up] {
		if _, ok := up.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// foldOf returns the edit that takes away one read of an error that is nil, or nil where none does.
func (f *file) foldOf(read *ast.Ident, assign *ast.AssignStmt) func() {
	switch p := f.parents[read].(type) {
	case *ast.ReturnStmt:
		return func() { f.replace(read, "nil") }
	case *ast.CallExpr:
		statement, ok := f.parents[p].(*ast.ExprStmt)
		s, isSelector := p.Fun.(*ast.SelectorExpr)
		if ok && isSelector && s.Sel.Name == "NoError" && p.Args[len(p.Args)-1] == ast.Expr(read) {
			return func() { f.dropped = append(f.dropped, statement) }
		}
	case *ast.BinaryExpr:
		if y, ok := p.Y.(*ast.Ident); ok && y.Name == "nil" {
			return f.foldComparison(p, assign)
		}
	}
	if check := f.deadCheck(read); check != nil {
		return func() {} // it goes with the check
	}
	return nil
}

// foldComparison takes away err != nil before || and err == nil before &&, and an if statement that asks nothing else.
func (f *file) foldComparison(n *ast.BinaryExpr, assign *ast.AssignStmt) func() {
	switch p := f.parents[n].(type) {
	case *ast.BinaryExpr:
		if p.X == ast.Expr(n) && (n.Op == token.NEQ && p.Op == token.LOR || n.Op == token.EQL && p.Op == token.LAND) {
			return func() { f.replaceRange(p.Pos(), p.Y.Pos(), "") }
		}
	case *ast.IfStmt:
		own := p.Init == ast.Stmt(assign) && len(assign.Lhs) == 1
		if n.Op == token.NEQ && p.Else == nil && (p.Init == nil || own) {
			return func() { f.dropped = append(f.dropped, p) }
		}
	}
	return nil
}

// deadCheck returns the statement if err != nil {...} in whose body a name stands.
func (f *file) deadCheck(read *ast.Ident) *ast.IfStmt {
	for up := f.parents[read]; up != nil; up = f.parents[up] {
		check, ok := up.(*ast.IfStmt)
		if !ok || check.Else != nil || check.Body.Pos() > read.Pos() {
			continue
		}
		cond, ok := check.Cond.(*ast.BinaryExpr)
		if !ok || cond.Op != token.NEQ {
			continue
		}
		x, ok := cond.X.(*ast.Ident)
		y, isNil := cond.Y.(*ast.Ident)
		if ok && isNil && y.Name == "nil" && f.objectOf(x) == f.objectOf(read) {
			return check
		}
	}
	return nil
}
