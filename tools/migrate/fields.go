package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// renameField renames a field, and converts its value where Onion's type is another one for numbers or texts.
func (f *file) renameField(n *ast.SelectorExpr, official, onion, name string) {
	if f.readPointer(n, official, onion, name) || isArrayFiltersPointer(official) && onion == "[]any" {
		return
	}
	text := f.text(n.X) + "." + name
	if implementing[translateType(official)] == onion && !f.isAssigned(n) {
		f.readAutoEncryption(n, text)
		return
	}
	described := onion == "*"+translateType(official) && strings.HasPrefix(onion, "*description.")
	if described && !f.isAssigned(n) && !f.reachesThrough(n, official, onion) {
		f.replace(n, "*"+text) // a description in an event is a pointer, and never nil
		return
	}
	if translateType(official) != onion && canConvert(official, onion) && !f.isComparedWithConstant(n) && !f.isAssigned(n) {
		text = official + "(" + text + ")"
	} else if translateType(official) != onion && !canConvert(official, onion) &&
		!strings.Contains(onion, "func(") && !f.isPlainAddress(n, official, onion) && !f.reachesThrough(n, official, onion) {
		f.report(n, "%s is of type %s here, not %s", name, onion, official)
	}
	if text != f.text(n) {
		f.replace(n, text)
	}
}

// isPlainAddress reports whether a field that was of the type address.Address is used as the string that it is here.
func (f *file) isPlainAddress(n ast.Expr, official, onion string) bool {
	_, isMethod := f.parents[n].(*ast.SelectorExpr)
	return official == "address.Address" && onion == "string" && !isMethod
}

// reachesThrough reports whether code selects a member of the field at once, which also compiles where the field is a pointer.
func (f *file) reachesThrough(n ast.Expr, official, onion string) bool {
	s, ok := f.parents[n].(*ast.SelectorExpr)
	return ok && s.X == n && onion == "*"+translateType(official)
}

func (f *file) isComparedWithConstant(n ast.Expr) bool {
	switch p := f.parents[n].(type) {
	case *ast.BinaryExpr:
		other := p.X
		if other == n {
			other = p.Y
		}
		return f.pkg.TypesInfo.Types[other].Value != nil && f.isUntyped(other)
	case *ast.SwitchStmt:
		for _, clause := range p.Body.List {
			for _, e := range clause.(*ast.CaseClause).List {
				if !f.isUntyped(e) {
					return false
				}
			}
		}
		return true
	case *ast.CallExpr: // a conversion or a print
		return f.pkg.TypesInfo.Types[p.Fun].IsType()
	}
	return false
}

func (f *file) isAssigned(n ast.Expr) bool {
	switch p := f.parents[n].(type) {
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if l == n {
				return true
			}
		}
	case *ast.UnaryExpr:
		return p.Op == token.AND
	}
	return false
}
