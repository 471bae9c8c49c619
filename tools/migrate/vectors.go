package main

import (
	"go/ast"
	"go/token"
)

// The type of a vector is a byte in the official driver, and has a type of its own in Onion. A direct comparison of the two needs no
// conversion; everywhere else the value becomes a byte again.

// rewriteVectorType rewrites v.Type().
func (f *file) rewriteVectorType(n *ast.CallExpr) {
	if !f.isVectorComparison(n) {
		f.replace(n, "byte("+f.text(n)+")")
	}
}

// rewriteVectorConstant rewrites a constant such as bson.Int8Vector. It reports whether the name is one.
func (f *file) rewriteVectorConstant(n *ast.SelectorExpr, key string) bool {
	if !isVectorConstant(key) {
		return false
	}
	text := f.qualify(counterpart(key))
	if !f.isVectorComparison(n) {
		text = "byte(" + text + ")"
	}
	f.replace(n, text)
	return true
}

func isVectorConstant(key string) bool {
	return key == "bson.Int8Vector" || key == "bson.Float32Vector" || key == "bson.PackedBitVector"
}

// isVectorComparison reports whether an expression is a part of a comparison of v.Type() with constants, by an operator or by a switch.
func (f *file) isVectorComparison(n ast.Expr) bool {
	switch p := f.parents[n].(type) {
	case *ast.BinaryExpr:
		return (p.Op == token.EQL || p.Op == token.NEQ) &&
			(f.callsVectorType(p.X) && f.isVectorOperand(p.Y) || f.isVectorOperand(p.X) && f.callsVectorType(p.Y))
	case *ast.SwitchStmt:
		return f.switchesOnVector(p)
	case *ast.CaseClause:
		body, _ := f.parents[p].(*ast.BlockStmt)
		s, ok := f.parents[body].(*ast.SwitchStmt)
		return ok && f.switchesOnVector(s)
	}
	return false
}

func (f *file) switchesOnVector(s *ast.SwitchStmt) bool {
	if s.Tag == nil || !f.callsVectorType(s.Tag) {
		return false
	}
	for _, clause := range s.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			if !f.isVectorOperand(e) {
				return false
			}
		}
	}
	return true
}

// isVectorOperand reports whether Onion's type of vectors can be compared with an expression: a constant of the driver, or a number.
func (f *file) isVectorOperand(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		key, _ := f.keyOf(e)
		return isVectorConstant(key)
	}
	return false
}

func (f *file) callsVectorType(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, _ := f.keyOf(s)
	return key == "bson.Vector.Type"
}
