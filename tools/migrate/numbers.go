package main

import (
	"go/ast"
	"go/constant"
)

// numbered are the official driver's types whose values have other numbers here, with their values in its order.
var numbered = map[string][]string{
	"options.CursorType":     {"options.NonTailable", "options.Tailable", "options.TailableAwait"},
	"options.ReturnDocument": {"options.Before", "options.After"},
}

// nameNumber writes the name of a value of such a type that a program writes as a number.
func (f *file) nameNumber(n *ast.BasicLit) {
	t := f.typeOf(n)
	if t == nil {
		return
	}
	named := namedOf(t)
	if named == nil || !isOfficial(named.Obj()) {
		return
	}
	names := numbered[shortName(named.Obj().Pkg().Path())+"."+named.Obj().Name()]
	if i, ok := constant.Int64Val(constant.ToInt(f.pkg.TypesInfo.Types[n].Value)); ok && 0 <= i && int(i) < len(names) {
		f.replace(n, f.qualify(names[i]))
	}
}

// reportNumberConversion reports the conversion of a number to such a type.
func (f *file) reportNumberConversion(n *ast.CallExpr) {
	tv := f.pkg.TypesInfo.Types[n.Fun]
	if !tv.IsType() || len(n.Args) != 1 || f.pkg.TypesInfo.Types[n.Args[0]].Value != nil {
		return
	}
	named := namedOf(tv.Type)
	if named == nil || !isOfficial(named.Obj()) {
		return
	}
	if key := shortName(named.Obj().Pkg().Path()) + "." + named.Obj().Name(); numbered[key] != nil {
		f.report(n, "the numbers of %s begin with 1 here, and with 0 in the official driver", key)
	}
}
