package main

import (
	"go/ast"
	"go/types"
)

// Version 1's SessionContext is a context and a session. It becomes a context, which carries the session.

// sessionOf takes the session out of a context where an expression of the type SessionContext is used as a Session.
func (f *file) sessionOf(e ast.Expr, wanted types.Type) {
	if !isMongo(f.typeOf(e), "SessionContext") || !isMongo(wanted, "Session") {
		return
	}
	f.replace(e, f.qualify("mongo.SessionFromContext")+"("+f.text(e)+")")
}

func isMongo(t types.Type, name string) bool {
	if t == nil {
		return false
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && isOfficial(named.Obj()) && named.Obj().Name() == name
}

// sessionArguments looks at the arguments of a call.
func (f *file) sessionArguments(n *ast.CallExpr) {
	signature, ok := types.Unalias(f.typeOf(n.Fun)).(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range n.Args {
		if i < signature.Params().Len() {
			f.sessionOf(arg, signature.Params().At(i).Type())
		}
	}
}

// sessionFields looks at the fields of a literal.
func (f *file) sessionFields(n *ast.CompositeLit) {
	s, ok := f.typeOf(n).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range n.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if !keyed {
			if i < s.NumFields() {
				f.sessionOf(e, s.Field(i).Type())
			}
			continue
		}
		id, ok := kv.Key.(*ast.Ident)
		for v := range s.Fields() {
			if ok && v.Name() == id.Name {
				f.sessionOf(kv.Value, v.Type())
			}
		}
	}
}

// sessionAssigned looks at what is assigned.
func (f *file) sessionAssigned(n *ast.AssignStmt) {
	for i, r := range n.Rhs {
		if len(n.Lhs) == len(n.Rhs) {
			f.sessionOf(r, f.typeOf(n.Lhs[i]))
		}
	}
}

// sessionReturned looks at what a function returns.
func (f *file) sessionReturned(n *ast.ReturnStmt) {
	signature := f.signatureAround(n)
	if signature == nil || signature.Results().Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		f.sessionOf(e, signature.Results().At(i).Type())
	}
}
