package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// Programs often embed a client or a collection in a type of their own, and call its methods on that.

// ownerOf returns the first type of the official driver on the way to a selected member, and the embedded fields that lead to it.
func ownerOf(s *types.Selection) (owner *types.Named, path []string) {
	t := s.Recv()
	for _, index := range s.Index() {
		if named := namedOf(t); named != nil && isOfficial(named.Obj()) {
			return named, path
		}
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		holder, ok := t.Underlying().(*types.Struct)
		if !ok || index >= holder.NumFields() {
			return nil, nil
		}
		path, t = append(path, embeddedName(holder.Field(index))), holder.Field(index).Type()
	}
	return nil, nil
}

// receiver writes the value of the official driver's type whose member is selected.
func (f *file) receiver(n *ast.SelectorExpr) string {
	text := f.text(n.X)
	if s := f.pkg.TypesInfo.Selections[n]; s != nil {
		if _, path := ownerOf(s); len(path) > 0 {
			text += "." + strings.Join(path, ".")
		}
	}
	return text
}

// embeddedName returns the name of a field, which follows the name of its type where the type is embedded.
func embeddedName(v *types.Var) string {
	named := namedOf(v.Type())
	if !v.Embedded() || named == nil || !isOfficial(named.Obj()) {
		return v.Name()
	}
	to := counterpart(shortName(named.Obj().Pkg().Path()) + "." + named.Obj().Name())
	return strings.Trim(to[strings.LastIndexByte(to, '.')+1:], "()")
}

// renameEmbeddedField renames an embedded field where code selects it, or where a literal sets it.
func (f *file) renameEmbeddedField(id *ast.Ident) {
	if v, ok := f.pkg.TypesInfo.Uses[id].(*types.Var); ok && v.IsField() && embeddedName(v) != v.Name() {
		f.replace(id, embeddedName(v))
	}
}
