package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// replaceNilContext writes context.Background() for a nil where a call wants a context: that is what the official driver takes it for, and
// Onion returns an error. A function of the program's own may pass it on, so every callee counts. Where the program itself asks
// whether a context is nil, the place is only reported.
func (f *file) replaceNilContext(n *ast.CallExpr) {
	signature, ok := types.Unalias(f.typeOf(n.Fun)).(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range n.Args {
		if i >= signature.Params().Len() || signature.Variadic() && i >= signature.Params().Len()-1 {
			return
		}
		if !isContext(signature.Params().At(i).Type()) || !f.pkg.TypesInfo.Types[arg].IsNil() {
			continue
		}
		if f.asksForNil && !f.isCalleeOfficial(n) {
			f.report(arg, "the official driver takes a nil context for context.Background(), and Onion returns ErrNilValue: pass a context")
			continue
		}
		f.extra["context"] = true
		f.replace(arg, "context.Background()")
	}
}

func isContext(t types.Type) bool {
	named := namedOf(t)
	return named != nil && types.TypeString(named, nil) == "context.Context"
}

func (f *file) isCalleeOfficial(n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, _ := f.keyOf(s)
	return key != ""
}

// asksForNilContext reports whether some code compares a context with nil.
func asksForNilContext(loaded []*packages.Package) bool {
	return slices.ContainsFunc(loaded, func(p *packages.Package) bool {
		found := false
		for _, tree := range p.Syntax {
			ast.Inspect(tree, func(n ast.Node) bool {
				b, ok := n.(*ast.BinaryExpr)
				if ok && (b.Op == token.EQL || b.Op == token.NEQ) {
					found = found || p.TypesInfo.Types[b.Y].IsNil() && isContext(p.TypesInfo.TypeOf(b.X))
				}
				return !found
			})
		}
		return found
	})
}
