package main

import (
	"go/ast"
	"go/types"
)

// Version 1's SessionContext is a context and a session. It becomes a context, which carries the session.

// adapt converts an expression to the type that its place wants, where the official driver's type needs no conversion and Onion's does.
func (f *file) adapt(e ast.Expr, wanted types.Type) {
	f.extractSession(e, wanted)
	f.makeLister(e, wanted)
}

// extractSession gets the session from the context where a SessionContext is used as a Session.
func (f *file) extractSession(e ast.Expr, wanted types.Type) {
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

// adaptArguments looks at the arguments of a call.
func (f *file) adaptArguments(n *ast.CallExpr) {
	signature, ok := types.Unalias(f.typeOf(n.Fun)).(*types.Signature)
	if !ok {
		return
	}
	last := signature.Params().Len() - 1
	for i, arg := range n.Args {
		switch {
		case signature.Variadic() && i >= last && !n.Ellipsis.IsValid():
			if list, ok := signature.Params().At(last).Type().Underlying().(*types.Slice); ok {
				f.adapt(arg, list.Elem())
			}
		case i <= last:
			f.adapt(arg, signature.Params().At(i).Type())
		}
	}
}

// adaptFields looks at the fields and elements of a literal.
func (f *file) adaptFields(n *ast.CompositeLit) {
	if list, ok := f.typeOf(n).Underlying().(*types.Slice); ok {
		for _, e := range n.Elts {
			f.adapt(e, list.Elem())
		}
		return
	}
	s, ok := f.typeOf(n).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range n.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if !keyed {
			if i < s.NumFields() {
				f.adapt(e, s.Field(i).Type())
			}
			continue
		}
		id, ok := kv.Key.(*ast.Ident)
		for v := range s.Fields() {
			if ok && v.Name() == id.Name {
				f.adapt(kv.Value, v.Type())
			}
		}
	}
}

// adaptAssigned looks at what is assigned.
func (f *file) adaptAssigned(n *ast.AssignStmt) {
	for i, r := range n.Rhs {
		if len(n.Lhs) == len(n.Rhs) {
			f.adapt(r, f.typeOf(n.Lhs[i]))
		}
	}
}

// adaptReturned looks at what a function returns.
func (f *file) adaptReturned(n *ast.ReturnStmt) {
	signature := f.signatureAround(n)
	if signature == nil || signature.Results().Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		f.adapt(e, signature.Results().At(i).Type())
	}
}
