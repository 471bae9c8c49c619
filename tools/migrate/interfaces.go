package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// interfaceTypes reports methods of the user's own interfaces that types of the official driver have and Onion's have
// with other parameters: calls do not mind optional arguments, interfaces do.
func (f *file) interfaceTypes() {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		tree, ok := spec.Type.(*ast.InterfaceType)
		if !ok {
			return true
		}
		t, ok := f.objectOf(spec.Name).Type().Underlying().(*types.Interface)
		if !ok || t.NumMethods() == 0 {
			return true
		}
		if owner := f.implementer(t); owner != "" {
			f.interfaceMethods(tree, owner)
		}
		return true
	})
}

// implementer names the type of the official driver that an interface was made for.
func (f *file) implementer(t *types.Interface) string {
	for _, p := range f.pkg.Types.Imports() {
		rest, ok := officialPath(p.Path())
		if !ok || officialPackages[rest] == "" {
			continue
		}
		for _, name := range p.Scope().Names() {
			o, ok := p.Scope().Lookup(name).(*types.TypeName)
			if ok && o.Exported() && !types.IsInterface(o.Type()) && types.Implements(types.NewPointer(o.Type()), t) {
				return shortName(p.Path()) + "." + name
			}
		}
	}
	return ""
}

func (f *file) interfaceMethods(tree *ast.InterfaceType, owner string) {
	for _, m := range tree.Methods.List {
		if len(m.Names) != 1 {
			continue
		}
		to := member(owner + "." + m.Names[0].Name)
		declared := api[to]
		if declared == "" {
			f.report(m, "%s.%s has no counterpart", owner, m.Names[0].Name)
			continue
		}
		if official := translated(typeText(f.typeOf(m.Type))); official != declared || !strings.HasSuffix(to, "."+m.Names[0].Name) {
			f.report(m, "%s is %s here", to, declared)
		}
	}
}
