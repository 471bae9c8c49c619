package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A decoder of the official driver gets the variable that it decodes into, with what that holds. Onion's gets a new one.

// reportFromZero reports a decoder that reads its variable, or that leaves it as it is.
func (f *file) reportFromZero(value ast.Expr) {
	name, fn, body := f.decoderOf(value)
	if body == nil || len(fn.Params.List) == 0 {
		return
	}
	last := fn.Params.List[len(fn.Params.List)-1]
	if len(last.Names) == 0 {
		return
	}
	v := f.objectOf(last.Names[len(last.Names)-1])
	if v == nil || !f.keepsValue(body, v) {
		return
	}
	f.report(value, "%s decodes into the zero value here, and into what the variable holds in the official driver: it matters "+
		"where %s reads the variable or leaves it as it is", name, name)
}

// decoderOf finds the function of a decoder in this package: a function, a literal, or the method of a type.
func (f *file) decoderOf(value ast.Expr) (name string, t *ast.FuncType, body *ast.BlockStmt) {
	if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 && f.pkg.TypesInfo.Types[call.Fun].IsType() {
		value = call.Args[0]
	}
	if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
		return "this function", lit.Type, lit.Body
	}
	var o types.Object
	switch e := ast.Unparen(value).(type) {
	case *ast.Ident:
		o = f.objectOf(e)
	case *ast.SelectorExpr:
		o = f.objectOf(e.Sel)
	}
	if fn, ok := o.(*types.Func); !ok || fn == nil {
		o, _, _ = types.LookupFieldOrMethod(f.typeOf(value), true, f.pkg.Types, "DecodeValue")
	}
	for _, tree := range f.pkg.Syntax {
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && o != nil && f.pkg.TypesInfo.Defs[fn.Name] == o {
				return fn.Name.Name, fn.Type, fn.Body
			}
		}
	}
	return "", nil, nil
}

// keepsValue reports whether a decoder reads what its variable holds, or may return without an error before it has set it.
func (f *file) keepsValue(body *ast.BlockStmt, v types.Object) bool {
	found := false
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			found = found || ok && f.objectOf(id) == v && !f.asksNothing(n.Sel.Name)
		case *ast.ReturnStmt:
			found = found || f.maySucceed(n) && !f.isUsedBefore(stack, v)
		}
		return true
	})
	return found
}

// asksNothing reports whether a method of reflect.Value says nothing about what the variable holds.
func (f *file) asksNothing(method string) bool {
	return strings.HasPrefix(method, "Set") || strings.HasPrefix(method, "Can") ||
		slices.Contains([]string{"IsValid", "Type", "Kind", "Addr"}, method)
}

// maySucceed reports whether a return may return no error.
func (f *file) maySucceed(n *ast.ReturnStmt) bool {
	if len(n.Results) != 1 {
		return false
	}
	switch e := n.Results[0].(type) {
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.CallExpr:
		return !f.isCallOf(e.Fun, "fmt", "Errorf") && !f.isCallOf(e.Fun, "errors", "New")
	}
	return false
}

// isUsedBefore reports whether a variable is used in the last node of a path, or in a statement before the path in one of its
// blocks. The guards at the head of a decoder, which ask for the variable's type, do not count.
func (f *file) isUsedBefore(path []ast.Node, v types.Object) bool {
	set := func(n ast.Node) (found bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || f.objectOf(id) != v {
				return !found
			}
			s, ok := f.parents[id].(*ast.SelectorExpr)
			found = found || !ok || strings.HasPrefix(s.Sel.Name, "Set") || s.Sel.Name == "Addr"
			return !found
		})
		return found
	}
	for i, n := range path {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, s := range list {
			if _, isCase := s.(*ast.CaseClause); !isCase && i+1 < len(path) && s.Pos() < path[i+1].Pos() && set(s) {
				return true
			}
		}
	}
	return set(path[len(path)-1])
}
