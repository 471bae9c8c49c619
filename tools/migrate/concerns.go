package main

import (
	"go/ast"
	"slices"
	"strings"
)

// rewriteWriteConcern rewrites version 1's writeconcern.New(writeconcern.WMajority()).
func (f *file) rewriteWriteConcern(n *ast.CallExpr) {
	if n.Ellipsis.IsValid() || !slices.ContainsFunc(n.Args, f.isNotPartial) {
		f.rewriteConcernOfCalls(n)
		return
	}
	f.mergeConcern(n)
}

// rewriteConcernOfCalls writes a write concern as a literal if all its parts are calls, such as writeconcern.J(true).
func (f *file) rewriteConcernOfCalls(n *ast.CallExpr) {
	if n.Ellipsis.IsValid() {
		f.mergeConcern(n)
		return
	}
	var fields []string
	for _, a := range n.Args {
		f.unreport(a)
		fields = append(fields, f.concernField(a.(*ast.CallExpr)))
	}
	if len(fields) == 1 && fields[0] == `W: "majority"` {
		f.replace(n, f.qualify("mongo.Majority")+"()")
		return
	}
	f.replace(n, "&"+f.qualify("options.WriteConcern")+"{"+strings.Join(fields, ", ")+"}")
}

// mergeConcern writes a write concern some of whose parts are variables. If two parts set a field, the last one wins.
func (f *file) mergeConcern(n *ast.CallExpr) {
	t := f.qualify("options.WriteConcern")
	args := strings.Join(f.texts(n.Args), ", ")
	if n.Ellipsis.IsValid() {
		args += "..."
	}
	f.replace(n, "func(parts ...*"+t+") *"+t+" {\nvar all "+t+"\nfor _, part := range parts {\n"+
		"if part.W != nil {\nall.W = part.W\n}\nif part.Journal != nil {\nall.Journal = part.Journal\n}\n"+
		"if part.WTimeout != nil {\nall.WTimeout = part.WTimeout\n}\n}\nreturn &all\n}("+args+")")
}

// isNotPartial reports whether an argument of writeconcern.New is anything but a call that makes a part.
func (f *file) isNotPartial(a ast.Expr) bool {
	call, ok := a.(*ast.CallExpr)
	if !ok {
		return true
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	key, _ := f.keyOf(s)
	return callRules[key] == nil || !strings.HasPrefix(key, "writeconcern.")
}

// rewritePartialConcern rewrites one part of a write concern. It skips a part inside a writeconcern.New that is rewritten whole.
func (f *file) rewritePartialConcern(n *ast.CallExpr) {
	if outer, ok := f.parents[n].(*ast.CallExpr); ok && !outer.Ellipsis.IsValid() {
		if s, ok := outer.Fun.(*ast.SelectorExpr); ok {
			if key, _ := f.keyOf(s); key == "writeconcern.New" && !slices.ContainsFunc(outer.Args, f.isNotPartial) {
				return
			}
		}
	}
	f.replace(n, "&"+f.qualify("options.WriteConcern")+"{"+f.concernField(n)+"}")
}

// concernField writes the field that one part of a write concern sets.
func (f *file) concernField(call *ast.CallExpr) string {
	switch call.Fun.(*ast.SelectorExpr).Sel.Name {
	case "WMajority":
		return `W: "majority"`
	case "J":
		return "Journal: " + f.pointerTo(call.Args[0], f.text(call.Args[0]), "bool")
	case "WTimeout":
		return "WTimeout: " + f.pointerTo(call.Args[0], f.text(call.Args[0]), "time.Duration")
	default: // W, WTagSet
		return "W: " + f.text(call.Args[0])
	}
}

func (f *file) rewriteCustomConcern(n *ast.CallExpr) {
	f.replace(n, "&"+f.qualify("options.WriteConcern")+"{W: "+f.text(n.Args[0])+"}")
}

// rewriteReadConcern rewrites version 1's readconcern.New(readconcern.Level(text)).
func (f *file) rewriteReadConcern(n *ast.CallExpr) {
	if len(n.Args) == 1 {
		if call, ok := n.Args[0].(*ast.CallExpr); ok && len(call.Args) == 1 {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				f.unreport(s)
			}
			f.replace(n, "&"+f.qualify("options.ReadConcern")+"{Level: "+f.text(call.Args[0])+"}")
			return
		}
	}
	if len(n.Args) == 0 {
		f.replace(n, "&"+f.qualify("options.ReadConcern")+"{}")
		return
	}
	f.report(n, "read concerns are structs here: options.ReadConcern{Level}")
}
