package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// The official driver carries the connection string inside the client's options; Onion's Connect takes it as an
// argument. If one function holds both the options and Connect, the string becomes the argument. If the options travel,
// it goes into their field ConnectionString, which replaces the argument.

// defaultConnection is where the official driver connects to when the options name no server.
const defaultConnection = `"mongodb://localhost:27017"`

// findConnections notes the variables of a client's options whose connection string becomes an argument, before anything
// is rewritten.
func (f *file) findConnections() {
	applied := map[types.Object]int{}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "ApplyURI" {
			return true
		}
		outermost := f.outermostCall(call)
		id := f.assignedTo(outermost)
		if root, ok := f.chainOf(outermost).root.(*ast.Ident); ok {
			id = root
		}
		if id == nil || !f.isLocalVariable(id) || f.isParameter(f.objectOf(id)) || !f.staysInConnect(f.objectOf(id)) {
			return true
		}
		o := f.objectOf(id)
		if applied[o]++; applied[o] > 1 {
			delete(f.connections, o)
			return true
		}
		f.connections[o] = id.Name + "URI"
		if f.isStable(call.Args[0]) {
			f.connections[o] = f.text(call.Args[0])
		} else if !f.isDeclaredHere(outermost, o) {
			delete(f.connections, o)
		}
		return true
	})
}

// staysInConnect reports whether a variable of options goes only into Connect, so no other code needs its connection
// string.
func (f *file) staysInConnect(o types.Object) bool {
	stays := true
	for id, use := range f.pkg.TypesInfo.Uses {
		if use != o {
			continue
		}
		switch p := f.parents[id].(type) {
		case *ast.SelectorExpr:
			if p.X == id && p.Sel.Name != "GetURI" && p.Sel.Name != "SetHosts" {
				continue
			}
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, ast.Expr(id)) && len(p.Lhs) == 1 && f.isRootedAt(p.Rhs[0], o) {
				continue
			}
		case *ast.CallExpr:
			if f.connectCall(id) != nil {
				continue
			}
		}
		stays = false
	}
	return stays
}

// isRootedAt reports whether an expression is a chain of setters on a variable, as in opts = opts.SetAppName("shop").
func (f *file) isRootedAt(e ast.Expr, o types.Object) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := f.chainOf(call).root.(*ast.Ident)
	return ok && f.objectOf(id) == o
}

// isDeclaredHere reports whether a chain is in the block that declares its variable, so a companion can be declared there.
func (f *file) isDeclaredHere(call *ast.CallExpr, o types.Object) bool {
	statement, ok := f.parents[call].(ast.Stmt)
	if !ok {
		return false
	}
	block, ok := f.parents[statement].(*ast.BlockStmt)
	return ok && (f.pkg.TypesInfo.Scopes[block] == o.Parent() || f.isFunctionBody(block, o))
}

func (f *file) isLocalVariable(id *ast.Ident) bool {
	v, ok := f.objectOf(id).(*types.Var)
	return ok && !v.IsField() && v.Parent() != f.pkg.Types.Scope()
}

// isParameter reports whether a variable is one of its function's parameters: the caller has set fields of it already.
func (f *file) isParameter(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.Kind() == types.ParamVar
}

// isStable reports whether an expression has the same value everywhere in its function: a literal, a constant, or a
// variable that is set once.
func (f *file) isStable(e ast.Expr) bool {
	if f.pkg.TypesInfo.Types[e].Value != nil {
		return true
	}
	id, ok := e.(*ast.Ident)
	if !ok || !f.isLocalVariable(id) {
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

// outermostCall returns the last call of the chain that a call is part of.
func (f *file) outermostCall(call *ast.CallExpr) *ast.CallExpr {
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

// takeConnectionString takes the connection string out of a chain that makes options, where it becomes an argument.
func (f *file) takeConnectionString(call *ast.CallExpr, s step) bool {
	if s.name != "ApplyURI" {
		return s.name == "SetHosts" && f.connectCall(call) != nil && !f.hasURIAndHosts(call)
	}
	if f.connectCall(call) != nil && !f.hasURIAndHosts(call) {
		return true
	}
	id := f.assignedTo(call)
	if id == nil || f.connections[f.objectOf(id)] == "" {
		return false
	}
	if !f.isStable(s.call.Args[0]) {
		f.declareURI(id, call, f.text(s.call.Args[0]))
	}
	return true
}

// hasURIAndHosts reports whether a chain has a connection string and a list of hosts.
func (f *file) hasURIAndHosts(call *ast.CallExpr) bool {
	steps := f.chainOf(call).steps
	has := func(name string) bool {
		return slices.ContainsFunc(steps, func(s step) bool { return s.name == name })
	}
	return has("ApplyURI") && has("SetHosts")
}

// connectCall returns the call of mongo.Connect that a chain is an argument of.
func (f *file) connectCall(n ast.Node) *ast.CallExpr {
	call, ok := f.parents[n].(*ast.CallExpr)
	if !ok {
		return nil
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if key, _ := f.keyOf(s); key == "mongo.Connect" || key == "mongo.NewClient" {
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

// applyURI rewrites the statement opts.ApplyURI(text) of a variable whose connection string becomes an argument.
func (f *file) applyURI(id *ast.Ident, s step) (line string, ok bool) {
	name := f.connections[f.objectOf(id)]
	if name == "" {
		return "", false
	}
	if f.isStable(s.call.Args[0]) {
		return "", true
	}
	return name + " := " + f.text(s.call.Args[0]), true
}

// isFunctionBody reports whether a block is the body of the function whose scope a variable is in.
func (f *file) isFunctionBody(block *ast.BlockStmt, v types.Object) bool {
	switch fn := f.parents[block].(type) {
	case *ast.FuncDecl:
		return f.pkg.TypesInfo.Scopes[fn.Type] == v.Parent()
	case *ast.FuncLit:
		return f.pkg.TypesInfo.Scopes[fn.Type] == v.Parent()
	}
	return false
}

// rewriteConnect rewrites mongo.Connect: context, connection string, options.
func (f *file) rewriteConnect(call *ast.CallExpr) {
	args := call.Args
	ctx := ""
	if signature, ok := f.typeOf(call.Fun).(*types.Signature); ok && len(args) > 0 && isContext(signature.Params().At(0).Type()) {
		ctx, args = f.text(args[0]), args[1:] // version 1
	}
	if ctx == "" {
		ctx = f.contextAt(call)
	}
	version1 := isVersion1(f.objectOf(call.Fun.(*ast.SelectorExpr).Sel))
	uri, rest := defaultConnection, []string{}
	for _, a := range args {
		text, own := f.connectionOf(a)
		if own != "" {
			uri = own
		}
		if text != "" {
			rest = append(rest, text)
		}
	}
	if call.Ellipsis.IsValid() && len(rest) > 0 {
		rest[len(rest)-1] += "..."
	}
	if version1 {
		rest = f.addVersion1Options(rest, call.Ellipsis.IsValid())
		f.reportNestedDocuments(call)
	}
	f.replace(call, f.qualify("mongo.Connect")+"("+strings.Join(append([]string{ctx, uri}, rest...), ", ")+")")
}

// reportNestedDocuments reports, once in a file, that options of the program's own take the place of those for version 1's way to decode.
func (f *file) reportNestedDocuments(call *ast.CallExpr) {
	text := string(f.src)
	if !f.warned && (strings.Contains(text, ".SetRegistry(") || strings.Contains(text, ".SetBSONOptions(")) {
		f.warned = true
		f.report(call, "version 1 decodes a document inside a bson.M into a bson.M, Onion and version 2 into a bson.D: where code "+
			"relies on it, add DefaultDocument: bson.DocumentLikeParent to the Unmarshal of options.Client")
	}
}

// removeClientConnect removes version 1's client.Connect: in Onion the client has already started.
func (f *file) removeClientConnect(n *ast.CallExpr) {
	switch f.parents[n].(type) {
	case *ast.ExprStmt:
		f.replace(f.parents[n], "")
	case *ast.GoStmt, *ast.DeferStmt:
		f.report(n, "mongo.Connect starts the client: remove the call")
	default:
		f.replaceInfallible(n, "")
	}
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
	for _, s := range c.steps {
		switch {
		case f.hasURIAndHosts(call):
		case s.name == "ApplyURI":
			uri = f.text(s.call.Args[0])
		case s.name == "SetHosts":
			uri = f.joinHosts(s.call.Args[0])
		}
	}
	opts = f.text(a)
	if opts == "&"+f.qualify("options.Client")+"{}" {
		opts = ""
	}
	return opts, uri
}

// joinHosts writes a connection string for a list of hosts.
func (f *file) joinHosts(list ast.Expr) string {
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
