package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// corePackage is the official driver's package of raw BSON. Package bson has its contents here.
const corePackage = "x/bsonx/bsoncore"

// coreTypes are the types of bsoncore that have other names in both drivers' package bson.
var coreTypes = map[string]string{"Document": "Raw", "Array": "RawArray", "Value": "RawValue", "Element": "RawElement"}

// coreName returns the name of an object, with the types of bsoncore as package bson spells them.
func coreName(o types.Object) string {
	if o.Pkg() != nil && coreTypes[o.Name()] != "" && strings.HasSuffix(o.Pkg().Path(), "/"+corePackage) {
		return coreTypes[o.Name()]
	}
	return o.Name()
}

// rewriteCoreStart rewrites idx, dst := bsoncore.AppendDocumentStart(dst): here the bytes come first, and the index is an int.
func (f *file) rewriteCoreStart(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	name := s.Sel.Name
	if name == "AppendArrayStart" {
		name = "AppendDocumentStart"
	}
	f.replace(s, f.qualify("bson."+name))
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 {
		f.report(n, "bson.%s returns the bytes first, and then the index", name)
		return
	}
	index, dst := f.text(assign.Lhs[0]), f.text(assign.Lhs[1])
	f.replace(assign.Lhs[0], dst)
	f.replace(assign.Lhs[1], index)
}

// rewriteCoreEnd rewrites dst, err := bsoncore.AppendDocumentEnd(dst, idx), which cannot fail here.
func (f *file) rewriteCoreEnd(n *ast.CallExpr) {
	f.replace(n.Fun, f.qualify("bson.AppendDocumentEnd"))
	if f.ignoresSecond(n) {
		left := f.parents[n].(*ast.AssignStmt).Lhs
		f.replaceRange(left[0].End(), left[1].End(), "")
		return
	}
	f.replaceInfallible(n, f.text(n))
}

// buildSource is the helper for a document of elements that are encoded already.
const buildSource = `
// documentOf appends a document made of encoded elements.
func documentOf(dst []byte, elements ...[]byte) []byte {
	dst, start := bson.AppendDocumentStart(dst)
	for _, e := range elements {
		dst = append(dst, e...)
	}
	return bson.AppendDocumentEnd(dst, start)
}
`

// rewriteCoreBuild rewrites bsoncore.BuildDocument and BuildDocumentFromElements.
func (f *file) rewriteCoreBuild(n *ast.CallExpr) { f.replace(n.Fun, f.useHelper("documentOf")) }
