package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// nameFields writes the names of the fields of a literal that has none: here their order differs.
func (f *file) nameFields(n *ast.CompositeLit, key string, s *types.Struct) {
	if s.NumFields() != len(n.Elts) {
		f.report(n, "the fields of %s are in another order here: write their names", counterpart(key))
		return
	}
	for i, e := range n.Elts {
		field := s.Field(i)
		to := member(key + "." + field.Name())
		declared, ok := strings.CutPrefix(api[to], "field ")
		if !ok {
			f.report(e, "%s.%s has no counterpart%s", key, field.Name(), advice(key+"."+field.Name()))
		}
		text, ok := f.wrap(e, typeText(field.Type()), declared)
		if !ok {
			f.report(e, "%s is of type %s here, not %s", to, declared, typeText(field.Type()))
		}
		f.replace(e, to[strings.LastIndexByte(to, '.')+1:]+": "+text)
	}
}

// wrapAssigned wraps what is assigned to a field of a plain struct, such as options.Collation, that is a pointer here.
func (f *file) wrapAssigned(n *ast.AssignStmt) {
	if text, ok := f.wholes[n]; ok {
		f.replace(n, text)
		return
	}
	f.rewriteEventAssignment(n)
	if len(n.Lhs) != len(n.Rhs) {
		f.rewriteManyResults(n)
		return
	}
	for i, l := range n.Lhs {
		s, ok := l.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		official, onion := f.fieldTypes(s)
		if !strings.HasPrefix(onion, "*") || strings.HasPrefix(official, "*") || n.Tok != token.ASSIGN {
			continue
		}
		text, ok := f.wrap(n.Rhs[i], official, onion)
		if !ok || text == f.text(n.Rhs[i]) {
			continue
		}
		f.unreport(s)
		if !f.clearField(n, i, s, official) {
			f.replace(n.Rhs[i], text)
			f.reportCredentialSource(s)
		}
	}
}

// fieldTypes returns the types of a field in both drivers, or empty texts if it is not a field in both.
func (f *file) fieldTypes(s *ast.SelectorExpr) (official, onion string) {
	key, o := f.keyOf(s)
	v, ok := o.(*types.Var)
	if !ok || !v.IsField() {
		return "", ""
	}
	declared, ok := strings.CutPrefix(api[member(key)], "field ")
	if !ok {
		return "", ""
	}
	return typeText(v.Type()), declared
}

// index converts the index of a map whose keys are of another type of integers here.
func (f *file) convertMapIndex(n *ast.IndexExpr) {
	s, ok := n.X.(*ast.SelectorExpr)
	if !ok {
		return
	}
	official, onion := f.fieldTypes(s)
	from, _, isMap := strings.Cut(strings.TrimPrefix(official, "map["), "]")
	to, _, _ := strings.Cut(strings.TrimPrefix(onion, "map["), "]")
	if !isMap || !strings.HasPrefix(official, "map[") || from == to || !canConvert(from, to) {
		return
	}
	f.unreport(s)
	if !f.isUntyped(n.Index) {
		f.replace(n.Index, to+"("+f.text(n.Index)+")")
	}
}

// convertCodes converts the error codes that a loop ranges over to numbers, where the loop compares them with numbers.
func (f *file) convertCodes(n *ast.RangeStmt) {
	call, ok := n.X.(*ast.CallExpr)
	id, named := n.Value.(*ast.Ident)
	if !ok || !named || f.objectOf(id) == nil {
		return
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "ErrorCodes" {
		return
	}
	if key, _ := f.keyOf(s); key == "" {
		return
	}
	f.unreport(s)
	for _, use := range f.usesOf(f.objectOf(id)) {
		f.replace(use, "int("+use.Name+")")
	}
}
