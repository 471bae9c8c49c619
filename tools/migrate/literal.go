package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// literal rewrites the fields of a struct literal: their names, and their values where Onion has a pointer.
func (f *file) literal(n *ast.CompositeLit) {
	t := f.typeOf(n)
	named := namedOf(t)
	if named == nil || !isOfficial(named.Obj()) {
		return
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	key := shortName(named.Obj().Pkg().Path()) + "." + named.Obj().Name()
	if key == "options.ArrayFilters" {
		f.arrayFilters(n)
		return
	}
	if len(n.Elts) > 0 {
		if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
			if key != "bson.E" && key != "primitive.E" {
				f.report(n, "the fields of %s have other places here: write their names", counterpart(key))
			}
			return
		}
	}
	for _, e := range n.Elts {
		kv := e.(*ast.KeyValueExpr)
		name := kv.Key.(*ast.Ident).Name
		f.literalField(n, kv, key+"."+name, fieldType(s, name))
	}
}

func fieldType(s *types.Struct, name string) string {
	for v := range s.Fields() {
		if v.Name() == name {
			return typeText(v.Type())
		}
	}
	return ""
}

func (f *file) literalField(n *ast.CompositeLit, kv *ast.KeyValueExpr, key, official string) {
	to := member(key)
	if setter := setterNames["Set"+key[strings.LastIndexByte(key, '.')+1:]]; setter != "" && api[to] == "" {
		to = to[:strings.LastIndexByte(to, '.')+1] + setter
	}
	declared, ok := strings.CutPrefix(api[to], "field ")
	if !ok {
		f.report(kv, "%s has no counterpart%s", key, advice(key))
		return
	}
	if name := to[strings.LastIndexByte(to, '.')+1:]; name != kv.Key.(*ast.Ident).Name {
		f.replace(kv.Key, name)
	}
	if "*"+translated(official) == declared || strings.HasPrefix(declared, "*") && sameBasic(official, declared[1:]) {
		if f.zero(kv.Value) { // zero means unset there; here unset is nil
			f.dropElement(n, kv)
			return
		}
		if f.pkg.TypesInfo.Types[kv.Value].Value == nil && isPlain(official) {
			f.report(kv, "%s: zero means unset in the official driver and is sent here: leave the field nil when it is not set", to)
		}
	}
	text, ok := f.wrapped(kv.Value, official, declared)
	if !ok && !strings.Contains(declared, "func(") {
		f.report(kv, "%s is of type %s here, not %s", to, declared, official)
		return
	}
	if text != f.text(kv.Value) {
		f.replace(kv.Value, text)
	}
}

func isPlain(t string) bool {
	switch t {
	case "string", "bool", "int", "int32", "int64", "uint64", "float64", "time.Duration":
		return true
	}
	return false
}

// dropElement removes one element of a literal with its comma.
func (f *file) dropElement(n *ast.CompositeLit, kv *ast.KeyValueExpr) {
	end := kv.End()
	for i, e := range n.Elts {
		if e != ast.Expr(kv) {
			continue
		}
		if i+1 < len(n.Elts) {
			end = n.Elts[i+1].Pos()
			f.replaceRange(kv.Pos(), end, "")
			return
		}
		if i > 0 {
			f.replaceRange(n.Elts[i-1].End(), end, "")
			return
		}
	}
	f.replaceRange(kv.Pos(), end, "")
}

// arrayFilters rewrites options.ArrayFilters{Filters: list}, a plain list here.
func (f *file) arrayFilters(n *ast.CompositeLit) {
	if len(n.Elts) == 1 {
		value := n.Elts[0]
		if kv, ok := value.(*ast.KeyValueExpr); ok {
			value = kv.Value
		}
		f.unreport(n.Type)
		f.replace(n, f.text(value))
		return
	}
	f.report(n, "options.ArrayFilters is a plain []any here")
}
