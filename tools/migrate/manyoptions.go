package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// Version 1 has one type of options for UpdateOne and UpdateMany, and one for DeleteOne and DeleteMany. Both versions have one
// for RunCommand and RunCommandCursor. Here each has its own.

// otherOptions are the helpers that make the options of the other method.
var otherOptions = map[string]string{
	"UpdateOptions": "updateManyOf", "DeleteOptions": "deleteManyOf", "RunCmdOptions": "runCursorCommandOf",
}

// convertManyOptions converts options that the program holds for UpdateOne or DeleteOne where they go to the other method.
func (f *file) convertManyOptions(n *ast.CallExpr) {
	for i, arg := range n.Args {
		t := f.typeOf(arg)
		if n.Ellipsis.IsValid() && i == len(n.Args)-1 {
			if s, ok := t.Underlying().(*types.Slice); ok {
				t = s.Elem()
			}
		}
		named := namedOf(t)
		if named == nil || !isOfficial(named.Obj()) {
			continue
		}
		helper := otherOptions[named.Obj().Name()]
		if helper == "" || f.isMadeForMany(arg) {
			continue
		}
		text := strings.Join(f.texts(n.Args[i:]), ", ")
		if n.Ellipsis.IsValid() {
			text += "..."
		}
		f.replaceRange(arg.Pos(), n.Rparen, f.useHelper(helper)+"("+text+")...")
		return
	}
}

func (f *file) convertRunCommandCursor(n *ast.CallExpr) {
	f.replace(n.Fun.(*ast.SelectorExpr).Sel, "RunCursorCommand")
	f.convertManyOptions(n)
}

// isMadeForMany reports whether optionsStruct has given an expression, or the variable that it names, the type for many documents.
func (f *file) isMadeForMany(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if id.Name == "nil" {
			return true
		}
		value := f.declaredAs(f.objectOf(id))
		if value == nil {
			return f.isParameterOfMany(f.objectOf(id))
		}
		e = value
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	root, ok := f.chainOf(call).root.(*ast.CallExpr)
	if !ok {
		return false
	}
	_, made := f.isConstructor(root)
	return made && f.isConsumedByMany(call)
}

// isParameterOfMany reports whether a variable is a parameter of a function whose name ends in Many: its type is the one for many.
func (f *file) isParameterOfMany(o types.Object) bool {
	if o == nil || !f.isParameter(o) {
		return false
	}
	for id, def := range f.pkg.TypesInfo.Defs {
		if def == o {
			return f.isInManyParameters(id)
		}
	}
	return false
}

// isInManyParameters reports whether a node stands among the parameters of a function or method whose name ends in Many, such as
// one of an interface over collections, or of a function type in the body of one.
func (f *file) isInManyParameters(n ast.Node) bool {
	inside := false
	for up := f.parents[n]; up != nil; up = f.parents[up] {
		if _, ok := up.(*ast.FuncType); ok {
			inside = true
		}
		if field, ok := up.(*ast.Field); ok && inside && len(field.Names) == 1 {
			return strings.HasSuffix(field.Names[0].Name, "Many")
		}
		if fn, ok := up.(*ast.FuncDecl); ok {
			return inside && strings.HasSuffix(fn.Name.Name, "Many")
		}
	}
	return false
}

// isConsumedByMany reports whether options go to UpdateMany, DeleteMany or RunCommandCursor and to no other call.
func (f *file) isConsumedByMany(n ast.Node) bool {
	if many, _ := f.classifyConsumer(n); many {
		return true
	}
	id := f.assignedTo(n)
	if id == nil {
		return false
	}
	found := false
	for use, o := range f.pkg.TypesInfo.Uses {
		if o != f.objectOf(id) || o == nil {
			continue
		}
		if f.isWritten(use) { // what is assigned later has the other type
			return false
		}
		many, other := f.classifyConsumer(use)
		if other {
			return false
		}
		found = found || many
	}
	return found
}

// classifyConsumer reports whether a node is an argument of UpdateMany, DeleteMany or RunCommandCursor, or of another call.
func (f *file) classifyConsumer(n ast.Node) (many, other bool) {
	call, ok := f.parents[n].(*ast.CallExpr)
	if !ok || call.Fun == n {
		return false, false
	}
	if s, ok := call.Fun.(*ast.SelectorExpr); ok && (strings.HasSuffix(s.Sel.Name, "Many") || s.Sel.Name == "RunCommandCursor") {
		return true, false
	}
	return false, true
}

const updateManyOf = `
// updateManyOf returns options for UpdateMany that were made for UpdateOne.
func updateManyOf(list ...*options.UpdateOne) []*options.UpdateMany {
	var out []*options.UpdateMany
	for _, o := range list {
		if o != nil {
			out = append(out, &options.UpdateMany{
				ArrayFilters: o.ArrayFilters, BypassDocumentValidation: o.BypassDocumentValidation, Collation: o.Collation,
				Comment: o.Comment, Hint: o.Hint, Let: o.Let, Upsert: o.Upsert,
			})
		}
	}
	return out
}
`

const deleteManyOf = `
// deleteManyOf returns options for DeleteMany that were made for DeleteOne.
func deleteManyOf(list ...*options.DeleteOne) []*options.DeleteMany {
	var out []*options.DeleteMany
	for _, o := range list {
		if o != nil {
			out = append(out, &options.DeleteMany{Collation: o.Collation, Comment: o.Comment, Hint: o.Hint, Let: o.Let})
		}
	}
	return out
}
`

const runCursorCommandOf = `
// runCursorCommandOf returns options for RunCursorCommand that were made for RunCommand.
func runCursorCommandOf(list ...*options.RunCommand) []*options.RunCursorCommand {
	var out []*options.RunCursorCommand
	for _, o := range list {
		if o != nil {
			out = append(out, &options.RunCursorCommand{ReadPreference: o.ReadPreference, Timeout: o.Timeout})
		}
	}
	return out
}
`
