package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// The official driver carries the connection string inside the client's options; Onion's Connect takes it beside them.
// So each variable that holds options gets a companion for the string where the two are told apart.

// findConnections notes the variables of a client's options, before anything is rewritten.
func (f *file) findConnections() {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "ApplyURI" {
			return true
		}
		outermost := f.outermost(call)
		id := f.assignedTo(outermost)
		if root, ok := f.chainOf(outermost).root.(*ast.Ident); ok {
			id = root
		}
		if id == nil || !f.localVariable(id) {
			return true
		}
		f.connections[f.objectOf(id)] = id.Name + "URI"
		if f.stable(call.Args[0]) {
			f.connections[f.objectOf(id)] = f.text(call.Args[0])
		}
		return true
	})
}

func (f *file) localVariable(id *ast.Ident) bool {
	v, ok := f.objectOf(id).(*types.Var)
	return ok && !v.IsField() && v.Parent() != f.pkg.Types.Scope()
}

// stable reports whether an expression has the same value everywhere in its function: a literal, a constant, or a
// variable that is set once.
func (f *file) stable(e ast.Expr) bool {
	if f.pkg.TypesInfo.Types[e].Value != nil {
		return true
	}
	id, ok := e.(*ast.Ident)
	if !ok || !f.localVariable(id) {
		return false
	}
	o, sets := f.objectOf(id), 0
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if v, ok := l.(*ast.Ident); ok && f.objectOf(v) == o && f.pkg.TypesInfo.Defs[v] == nil {
					sets++
				}
			}
		case *ast.UnaryExpr:
			if v, ok := n.X.(*ast.Ident); ok && n.Op == token.AND && f.objectOf(v) == o {
				sets++
			}
		}
		return true
	})
	return sets == 0
}

// outermost returns the last call of the chain that a call is part of.
func (f *file) outermost(call *ast.CallExpr) *ast.CallExpr {
	for {
		s, ok := f.parents[call].(*ast.SelectorExpr)
		if !ok {
			return call
		}
		outer, ok := f.parents[s].(*ast.CallExpr)
		if !ok {
			return call
		}
		if _, ok := f.isSetter(outer); !ok {
			return call
		}
		call = outer
	}
}

// connectionStep takes the connection string out of a chain that makes options. It goes to the variable's companion,
// or, where the chain stands in the call of Connect, becomes its argument.
func (f *file) connectionStep(call *ast.CallExpr, s step) bool {
	if s.name != "ApplyURI" {
		if s.name == "SetHosts" && f.connected(call) != nil {
			return true
		}
		return false
	}
	if f.connected(call) != nil {
		return true
	}
	id := f.assignedTo(call)
	if id == nil || f.connections[f.objectOf(id)] == "" {
		f.report(s.call, "the connection string is an argument of mongo.Connect here: pass %s to it", f.text(s.call.Args[0]))
		return true
	}
	if !f.stable(s.call.Args[0]) {
		f.declareURI(id, call, f.text(s.call.Args[0]))
	}
	return true
}

// connected returns the call of mongo.Connect that a chain is an argument of.
func (f *file) connected(n ast.Node) *ast.CallExpr {
	call, ok := f.parents[n].(*ast.CallExpr)
	if !ok {
		return nil
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if key, _ := f.keyOf(s); key == "mongo.Connect" {
		return call
	}
	return nil
}

// declareURI puts the declaration of a companion before the statement that declares its variable.
func (f *file) declareURI(id *ast.Ident, n ast.Node, text string) {
	for {
		parent := f.parents[n]
		switch parent.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			f.insert(n.Pos(), f.connections[f.objectOf(id)]+" := "+text+"\n")
			return
		case nil:
			f.report(id, "the connection string is an argument of mongo.Connect here: pass %s to it", text)
			return
		}
		n = parent
	}
}

// applyURI rewrites the statement opts.ApplyURI(text).
func (f *file) applyURI(id *ast.Ident, s step, statement ast.Stmt) string {
	name := f.connections[f.objectOf(id)]
	v := f.objectOf(id)
	if name != "" && f.stable(s.call.Args[0]) {
		return ""
	}
	block, _ := f.parents[statement].(*ast.BlockStmt)
	if name == "" || block == nil || v.Parent() == nil || f.pkg.TypesInfo.Scopes[block] != v.Parent() && !f.functionBody(block, v) {
		f.report(s.call, "the connection string is an argument of mongo.Connect here: pass %s to it", f.text(s.call.Args[0]))
		return ""
	}
	return name + " := " + f.text(s.call.Args[0])
}

// functionBody reports whether a block is the body of the function whose scope a variable is in.
func (f *file) functionBody(block *ast.BlockStmt, v types.Object) bool {
	switch fn := f.parents[block].(type) {
	case *ast.FuncDecl:
		return f.pkg.TypesInfo.Scopes[fn.Type] == v.Parent()
	case *ast.FuncLit:
		return f.pkg.TypesInfo.Scopes[fn.Type] == v.Parent()
	}
	return false
}

// connect rewrites mongo.Connect: context, connection string, options.
func (f *file) connect(call *ast.CallExpr) {
	args := call.Args
	ctx := ""
	if len(args) > 0 && typeText(f.typeOf(args[0])) == "context.Context" { // version 1
		ctx, args = f.text(args[0]), args[1:]
	}
	if ctx == "" {
		ctx = f.contextAt(call)
	}
	uri, rest, ok := "", []string{}, true
	for _, a := range args {
		text, own := f.connectionOf(a)
		if own != "" {
			uri = own
		}
		if text != "" {
			rest = append(rest, text)
		}
	}
	if uri == "" {
		ok = false
		f.report(call, "mongo.Connect takes the connection string as its second argument, and the options do not hold one here")
	}
	name := f.qualified("mongo.Connect")
	if !ok {
		f.replace(call.Fun, name)
		return
	}
	if call.Ellipsis.IsValid() && len(rest) > 0 {
		rest[len(rest)-1] += "..."
	}
	f.replace(call, name+"("+strings.Join(append([]string{ctx, uri}, rest...), ", ")+")")
}

// connectionOf splits one argument of Connect into options and connection string.
func (f *file) connectionOf(a ast.Expr) (opts, uri string) {
	if id, ok := a.(*ast.Ident); ok {
		return f.text(a), f.connections[f.objectOf(id)]
	}
	call, ok := a.(*ast.CallExpr)
	if !ok {
		return f.text(a), ""
	}
	c := f.chainOf(call)
	set := false
	for _, s := range c.steps {
		switch s.name {
		case "ApplyURI":
			uri = f.text(s.call.Args[0])
			if set {
				f.report(s.call, "options precede the connection string here; in the official driver the last one set wins")
			}
		case "SetHosts":
			uri = f.hosts(s.call.Args[0])
		default:
			set = true
		}
	}
	opts = f.text(a)
	if opts == "&"+f.qualified("options.Client")+"{}" {
		opts = ""
	}
	return opts, uri
}

// hosts writes a connection string for a list of hosts.
func (f *file) hosts(list ast.Expr) string {
	lit, ok := list.(*ast.CompositeLit)
	if ok {
		var names []string
		for _, e := range lit.Elts {
			b, ok := e.(*ast.BasicLit)
			if !ok || b.Kind != token.STRING {
				names = nil
				break
			}
			s, _ := strconv.Unquote(b.Value)
			names = append(names, s)
		}
		if names != nil {
			return strconv.Quote("mongodb://" + strings.Join(names, ","))
		}
	}
	f.extra["strings"] = true
	return `"mongodb://" + strings.Join(` + f.text(list) + `, ",")`
}

// contextAt finds a context that a line can see: a variable named ctx, else a parameter.
func (f *file) contextAt(n ast.Node) string {
	scope := f.pkg.Types.Scope().Innermost(n.Pos())
	if scope != nil {
		if _, o := scope.LookupParent("ctx", n.Pos()); o != nil && o.Type() != nil && typeText(o.Type()) == "context.Context" {
			return "ctx"
		}
	}
	for up := f.parents[n]; up != nil; up = f.parents[up] {
		var params *ast.FieldList
		switch fn := up.(type) {
		case *ast.FuncDecl:
			params = fn.Type.Params
		case *ast.FuncLit:
			params = fn.Type.Params
		default:
			continue
		}
		for _, p := range params.List {
			if t := f.typeOf(p.Type); t != nil && typeText(t) == "context.Context" && len(p.Names) > 0 && p.Names[0].Name != "_" {
				return p.Names[0].Name
			}
		}
	}
	f.extra["context"] = true
	return "context.Background()"
}
