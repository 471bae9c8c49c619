package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// bson.Marshal returns a []byte in the official driver and a bson.Raw here. A Raw goes wherever a []byte does, but not as another
// slice type, and in an interface it is a document where a []byte is binary data.

// convertMarshalled makes a []byte again of a variable with such bytes where the type matters.
func (f *file) convertMarshalled(id *ast.Ident) {
	v, ok := f.pkg.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Type().String() != "[]byte" && v.Type().String() != "[]uint8" || !f.comesFromMarshal(v) {
		return
	}
	e := ast.Expr(id)
	if s, ok := f.parents[e].(*ast.SliceExpr); ok && s.X == e { // part of a Raw is a Raw too
		e = s
	}
	if f.makesCopy(e, id.Name) {
		f.replace(id, "[]byte("+id.Name+")")
		return
	}
	t := f.targetOf(e)
	if t == nil {
		return
	}
	named, isNamed := types.Unalias(t).(*types.Named)
	_, isParameter := types.Unalias(t).(*types.TypeParam)
	_, isSlice := t.Underlying().(*types.Slice)
	if types.IsInterface(t) || isParameter || isNamed && isSlice && !isOfficial(named.Obj()) {
		f.replace(id, "[]byte("+id.Name+")")
	}
}

// makesCopy reports whether a declaration without a type, or append, makes another value of the type of a variable.
func (f *file) makesCopy(e ast.Expr, variable string) bool {
	switch p := f.parents[e].(type) {
	case *ast.AssignStmt:
		return p.Tok == token.DEFINE && slices.Contains(p.Rhs, e)
	case *ast.ValueSpec:
		return p.Type == nil
	case *ast.CallExpr:
		name, ok := p.Fun.(*ast.Ident)
		_, grows := f.parents[p].(*ast.AssignStmt)
		return ok && name.Name == "append" && p.Args[0] == e && !(grows && f.assignedTo(p) != nil && f.assignedTo(p).Name == variable)
	}
	return false
}

// rewriteMarshal rewrites a call of bson.Marshal whose first result goes into an interface without a variable of its own.
func (f *file) rewriteMarshal(n *ast.CallExpr) {
	var t types.Type
	switch p := f.parents[n].(type) {
	case *ast.AssignStmt:
		if p.Tok == token.ASSIGN && len(p.Rhs) == 1 {
			t = f.typeOf(p.Lhs[0])
		}
	case *ast.ReturnStmt:
		t = f.resultType(p, 0)
	case *ast.CallExpr:
		if s, ok := f.typeOf(p.Fun).(*types.Signature); ok && s.Params().Len() > 0 {
			t = s.Params().At(0).Type()
			if list, isList := t.(*types.Slice); isList && s.Variadic() && s.Params().Len() == 1 {
				t = list.Elem()
			}
		}
	}
	if t != nil && types.IsInterface(t) {
		f.replace(n.Fun, f.useHelper("marshalBytes"))
		return
	}
	f.replace(n.Fun, f.qualify("bson.Marshal"))
}

// resultType returns the type of one result of the function that a statement returns from.
func (f *file) resultType(n *ast.ReturnStmt, i int) types.Type {
	if s := f.signatureAround(n); s != nil && i < s.Results().Len() {
		return s.Results().At(i).Type()
	}
	return nil
}

// signatureAround returns the signature of the function that a statement returns from, nil if it is not known.
func (f *file) signatureAround(n *ast.ReturnStmt) *types.Signature {
	for up := f.parents[n]; up != nil; up = f.parents[up] {
		switch fn := up.(type) {
		case *ast.FuncDecl:
			s, _ := f.objectOf(fn.Name).Type().(*types.Signature)
			return s
		case *ast.FuncLit:
			s, _ := f.typeOf(fn).(*types.Signature)
			return s
		}
	}
	return nil
}

const marshalBytesSource = `
// marshalBytes encodes a document as bytes: in an interface a bson.Raw is a document.
func marshalBytes(v any, opts ...*bson.MarshalOptions) ([]byte, error) { return bson.Marshal(v, opts...) }
`

// comesFromMarshal reports whether a variable is declared by a call of bson.Marshal, which gives it its type.
func (f *file) comesFromMarshal(v *types.Var) bool {
	if known, ok := f.raws[v]; ok {
		return known
	}
	found := false
	ast.Inspect(f.tree, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || found || assign.Tok != token.DEFINE || len(assign.Rhs) != 1 {
			return !found
		}
		id, isName := assign.Lhs[0].(*ast.Ident)
		call, isCall := assign.Rhs[0].(*ast.CallExpr)
		if !isName || !isCall || f.pkg.TypesInfo.Defs[id] != v {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok {
			key, _ := f.keyOf(s)
			found = key == "bson.Marshal" || key == "bson.MarshalWithRegistry"
		}
		return true
	})
	f.raws[v] = found
	return found
}

// targetOf returns the type that an expression is assigned to: as an argument of a function that is not the official driver's, as
// an element of a literal, by an assignment or as a result.
func (f *file) targetOf(e ast.Expr) types.Type {
	switch p := f.parents[e].(type) {
	case *ast.CallExpr:
		return f.parameterOf(p, e)
	case *ast.KeyValueExpr:
		if lit, ok := f.parents[p].(*ast.CompositeLit); ok && p.Value == e {
			return f.elementType(lit, p)
		}
	case *ast.CompositeLit:
		return f.elementType(p, nil)
	case *ast.ValueSpec:
		return f.typeOf(p.Type)
	case *ast.ReturnStmt:
		if i := slices.Index(p.Results, e); i >= 0 {
			return f.resultType(p, i)
		}
	case *ast.SendStmt:
		if c, ok := f.typeOf(p.Chan).Underlying().(*types.Chan); ok && p.Value == e {
			return c.Elem()
		}
	case *ast.AssignStmt:
		for i, r := range p.Rhs {
			if r == e && len(p.Lhs) == len(p.Rhs) && p.Tok == token.ASSIGN {
				return f.typeOf(p.Lhs[i])
			}
		}
	}
	return nil
}

func (f *file) parameterOf(call *ast.CallExpr, e ast.Expr) types.Type {
	if tv := f.pkg.TypesInfo.Types[call.Fun]; tv.IsType() {
		return tv.Type
	}
	s, ok := types.Unalias(f.typeOf(call.Fun)).(*types.Signature)
	if !ok || f.isCalleeOfficial(call) {
		return nil
	}
	for i, arg := range call.Args {
		if arg != e {
			continue
		}
		if last := s.Params().Len() - 1; s.Variadic() && i >= last {
			if list, ok := s.Params().At(last).Type().(*types.Slice); ok && !call.Ellipsis.IsValid() {
				return list.Elem()
			}
			return nil
		}
		return s.Params().At(i).Type()
	}
	return nil
}

func (f *file) elementType(lit *ast.CompositeLit, kv *ast.KeyValueExpr) types.Type {
	switch t := f.typeOf(lit).Underlying().(type) {
	case *types.Map:
		return t.Elem()
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Struct:
		if kv == nil {
			return nil
		}
		for v := range t.Fields() {
			if id, ok := kv.Key.(*ast.Ident); ok && v.Name() == id.Name {
				return v.Type()
			}
		}
	}
	return nil
}
