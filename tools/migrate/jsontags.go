package main

import (
	"go/ast"
	"strings"
)

// Version 1 makes json tags count with a StructCodec that is registered for all structs. In Onion that is a rule of its own.

// rewriteStructCodec rewrites bsoncodec.NewStructCodec(bsoncodec.JSONFallbackStructTagParser).
func (f *file) rewriteStructCodec(n *ast.CallExpr) {
	if !f.readsJSONTags(n) {
		f.report(n, "bson.NewStructCodec has no counterpart: see the fields of bson.MarshalOptions and bson.UnmarshalOptions")
		return
	}
	f.unreport(n.Args[0])
	f.replace(n, f.qualify("bson.JSONTags")+"()")
	f.addErrorResult(n)
}

// readsJSONTags reports whether a call makes the codec that takes names from json tags.
func (f *file) readsJSONTags(n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) != 1 {
		return false
	}
	parser, ok := n.Args[0].(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, _ := f.keyOf(s)
	return key == "bson.NewStructCodec" && parser.Sel.Name == "JSONFallbackStructTagParser"
}

// kindRules writes the rule for encoders and decoders by kind. It knows one kind, the struct, with one codec for both.
func (f *file) kindRules(calls []*ast.CallExpr) (rule string, ok bool) {
	directions := map[string]bool{}
	for _, n := range calls {
		if !f.isCallOf(n.Args[0], "reflect", "Struct") || !f.isJSONTagCodec(n.Args[1]) {
			return "", false
		}
		_, after, _ := strings.Cut(n.Fun.(*ast.SelectorExpr).Sel.Name, "Register")
		directions[strings.TrimPrefix(strings.TrimPrefix(after, "Default"), "Kind")] = true
		rule = f.text(n.Args[1])
	}
	return rule, len(directions) == 2
}

// isJSONTagCodec reports whether an expression is the codec that takes names from json tags, or a variable that holds it.
func (f *file) isJSONTagCodec(e ast.Expr) bool {
	if id, ok := e.(*ast.Ident); ok && f.madeBy(id) != nil {
		e = f.madeBy(id)
	}
	call, ok := e.(*ast.CallExpr)
	return ok && f.readsJSONTags(call)
}

// registersKind reports whether a call registers for a kind, such as reflect.Struct.
func registersKind(n *ast.CallExpr) bool {
	name := n.Fun.(*ast.SelectorExpr).Sel.Name
	return strings.HasPrefix(name, "RegisterDefault") || strings.HasPrefix(name, "RegisterKind")
}
