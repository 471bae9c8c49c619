package main

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// A struct may be stored although it has no tags. Here a struct counts as stored if it goes to a function of the driver or into a
// document, or if it is in a field of one that does.

// storedTypes lists the structs of a program that a call of the driver takes or a document holds, by the places where they are declared.
func storedTypes(loaded []*packages.Package) map[string]bool {
	stored := map[string]bool{}
	for _, p := range loaded {
		for _, tree := range p.Syntax {
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if callsDriver(p, n) {
						for _, arg := range n.Args {
							noteStored(p, p.TypesInfo.TypeOf(arg), stored)
						}
					}
				case *ast.CompositeLit:
					if named := namedOf(p.TypesInfo.TypeOf(n)); named != nil && isOfficial(named.Obj()) {
						for _, e := range n.Elts {
							if kv, ok := e.(*ast.KeyValueExpr); ok {
								e = kv.Value
							}
							noteStored(p, p.TypesInfo.TypeOf(e), stored)
						}
					}
				}
				return true
			})
		}
	}
	return stored
}

// callsDriver reports whether a call is one of the driver, or of a function with its types as type parameters.
func callsDriver(p *packages.Package, n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	o := p.TypesInfo.ObjectOf(s.Sel)
	_, isFunc := o.(*types.Func)
	return isFunc && isOfficial(o)
}

// noteStored notes a struct and those in its fields.
func noteStored(p *packages.Package, t types.Type, stored map[string]bool) {
	if t == nil {
		return
	}
	named := elementOf(t)
	if named == nil || named.Obj().Pkg() == nil || isOfficial(named.Obj()) {
		return
	}
	s, ok := named.Underlying().(*types.Struct)
	place := placeOfType(p, named.Obj())
	if !ok || stored[place] {
		return
	}
	stored[place] = true
	for v := range s.Fields() {
		noteStored(p, v.Type(), stored)
	}
}

// placeOfType names a type by the line that declares it, which is one for all loads of its package.
func placeOfType(p *packages.Package, o types.Object) string {
	at := p.Fset.Position(o.Pos())
	return fmt.Sprintf("%s:%d:%s", at.Filename, at.Line, o.Name())
}

// declaresStored reports whether a file declares a struct that is stored.
func declaresStored(p *packages.Package, tree *ast.File, stored map[string]bool) bool {
	found := false
	ast.Inspect(tree, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if o := p.TypesInfo.Defs[spec.Name]; o != nil {
				found = found || stored[placeOfType(p, o)]
			}
		}
		return !found
	})
	return found
}

// isStored reports whether a struct type is one of those, or inside one.
func (f *file) isStored(n *ast.StructType) bool {
	for up := f.parents[n]; up != nil; up = f.parents[up] {
		if spec, ok := up.(*ast.TypeSpec); ok {
			o := f.pkg.TypesInfo.Defs[spec.Name]
			return o != nil && f.stored[placeOfType(f.pkg, o)]
		}
	}
	return false
}
