package main

import (
	"go/ast"
	"strings"
)

// registered are the functions of version 1 that have a form with a registry as the first argument: its place is in the options.
var registered = []string{
	"Marshal", "MarshalAppend", "MarshalValue", "MarshalExtJSON", "Unmarshal", "UnmarshalValue", "UnmarshalExtJSON",
}

// rewriteWithRegistry rewrites one of these functions.
func (f *file) rewriteWithRegistry(n *ast.CallExpr) {
	name := strings.TrimSuffix(n.Fun.(*ast.SelectorExpr).Sel.Name, "WithRegistry")
	args := f.texts(n.Args)
	var options []string
	if !f.isDefaultRegistry(n.Args[0]) {
		side := "bson.MarshalOptions"
		if strings.HasPrefix(name, "Unmarshal") {
			side = "bson.UnmarshalOptions"
		}
		options = []string{"&" + f.qualify(side) + "{Codecs: " + args[0] + "}"}
	}
	args = args[1:]
	fun := f.qualify("bson." + name)
	switch name {
	case "MarshalValue":
		fun, args = f.qualify("bson.AppendValue"), append([]string{"nil"}, args...)
	case "UnmarshalValue":
		fun = f.qualify("bson.RawValue") + "{Type: " + args[0] + ", Value: " + args[1] + "}.Unmarshal"
		args = args[2:]
	case "MarshalExtJSON":
		f.reportEscapes(n, n.Args[3])
		args = args[:2]
	}
	f.replace(n, fun+"("+strings.Join(append(args, options...), ", ")+")")
}

// dropValidate drops the check of a client's options, which mongo.Connect makes.
func (f *file) dropValidate(n *ast.CallExpr) {
	f.replaceInfallible(n, "")
	// a report about the call itself would go with it
	f.report(f.functionAround(n), "mongo.Connect returns the errors of Validate here")
}
