package main

import (
	"go/ast"
	"go/types"
)

// nilContext reports a nil where a call wants a context: the official driver takes it for context.Background(), and Onion returns an
// error. A function of the program's own may pass it on, so every callee counts.
func (f *file) nilContext(n *ast.CallExpr) {
	signature, ok := types.Unalias(f.typeOf(n.Fun)).(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range n.Args {
		if i >= signature.Params().Len() || signature.Variadic() && i >= signature.Params().Len()-1 {
			return
		}
		named := namedOf(signature.Params().At(i).Type())
		if named == nil || types.TypeString(named, nil) != "context.Context" || !f.pkg.TypesInfo.Types[arg].IsNil() {
			continue
		}
		f.report(arg, "the official driver takes a nil context for context.Background(), and Onion returns ErrNilValue: pass a context")
	}
}
