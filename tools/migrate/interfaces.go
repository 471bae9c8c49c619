package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// manyOnes are the options of two methods that share a type in version 1.
var manyOnes = regexp.MustCompile(`\b(options\.(?:Update|Delete))Many\b`)

// reportInterfaces reports methods of the user's own interfaces that Onion's types have with other parameters than the official
// driver's. A call compiles where a method takes more optional arguments, but the type no longer implements the interface.
func (f *file) reportInterfaces() {
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
			f.reportInterfaceMethods(tree, func(string) string { return owner })
			return true
		}
		if holder := f.embedder(t); holder != nil {
			f.reportInterfaceMethods(tree, func(method string) string { return promotedFrom(holder, method) })
		}
		return true
	})
}

// embedder returns a type of the package that implements an interface with methods of a type of the official driver that it embeds.
func (f *file) embedder(t *types.Interface) types.Type {
	for _, name := range f.pkg.Types.Scope().Names() {
		o, ok := f.pkg.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(o.Type()) || !types.Implements(types.NewPointer(o.Type()), t) {
			continue
		}
		for m := range t.Methods() {
			if promotedFrom(o.Type(), m.Name()) != "" {
				return o.Type()
			}
		}
	}
	return nil
}

// promotedFrom names the type of the official driver whose method a struct has because it embeds the type.
func promotedFrom(t types.Type, method string) string {
	s := types.NewMethodSet(types.NewPointer(t)).Lookup(nil, method)
	if s == nil {
		return ""
	}
	owner, path := ownerOf(s)
	if owner == nil || len(path) == 0 {
		return ""
	}
	return shortName(owner.Obj().Pkg().Path()) + "." + owner.Obj().Name()
}

// implementer names the type of the official driver that implements an interface.
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

func (f *file) reportInterfaceMethods(tree *ast.InterfaceType, ownerOf func(method string) string) {
	for _, m := range tree.Methods.List {
		if len(m.Names) != 1 {
			continue
		}
		owner := ownerOf(m.Names[0].Name)
		if owner == "" {
			continue
		}
		to := member(owner + "." + m.Names[0].Name)
		declared := api[to]
		if declared == "" {
			key := owner + "." + m.Names[0].Name
			f.report(m, "%s has no counterpart%s", key, advice(key))
			continue
		}
		// A parameter of version 1's type for two methods becomes what the method takes.
		one := manyOnes.ReplaceAllString(declared, "${1}One")
		official := translateType(typeText(f.typeOf(m.Type)))
		if official != declared && official != one || !strings.HasSuffix(to, "."+m.Names[0].Name) {
			f.report(m, "%s is %s here", to, declared)
		}
	}
}
