package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// The official driver's registries are filled call by call with functions that write to a ValueWriter or read from a
// ValueReader. Onion's bson.Codecs are made at once, from functions that convert a type. The functions stay as they are:
// two small types, which the rewritten package gets, take the place of ValueWriter and ValueReader for all values but
// documents and arrays.

// codecTypes are the types of these functions, with what takes their place.
var codecTypes = map[string]struct{ helper, text string }{
	"bson.EncodeContext":    {"", "struct{}"},
	"bson.DecodeContext":    {"", "struct{}"},
	"bson.ValueWriter":      {"bsonValueWriter", "*bsonValueWriter"},
	"bsonrw.ValueWriter":    {"bsonValueWriter", "*bsonValueWriter"},
	"bson.ValueReader":      {"bsonValueReader", "*bsonValueReader"},
	"bsonrw.ValueReader":    {"bsonValueReader", "*bsonValueReader"},
	"bson.ValueEncoderFunc": {"bsonEncodeWith", "bsonEncoder"},
	"bson.ValueDecoderFunc": {"bsonDecodeWith", "bsonDecoder"},
	"bson.ValueEncoder":     {"bsonValueWriter", "interface {\nEncodeValue(struct{}, *bsonValueWriter, reflect.Value) error\n}"},
	"bson.ValueDecoder":     {"bsonValueReader", "interface {\nDecodeValue(struct{}, *bsonValueReader, reflect.Value) error\n}"},
}

// rewriteCodecType rewrites one of these types, or a method of a writer or reader. It reports whether there is a counterpart.
func (f *file) rewriteCodecType(n *ast.SelectorExpr, key string) bool {
	if to, ok := codecTypes[key]; ok {
		if to.helper != "" {
			f.useHelper(to.helper)
		}
		f.replace(n, to.text)
		return true
	}
	owner, name := key[:strings.LastIndexByte(key, '.')], n.Sel.Name
	to, ok := codecTypes[owner]
	return ok && strings.HasPrefix(to.text, "*") && strings.Contains(helpers[to.helper].source, ") "+name+"(")
}

// A registration is one call that adds to a registry.
type registration struct {
	call *ast.CallExpr
	used bool
}

// noteRegistration notes a call that adds to a registry, for rewriteRegistry.
func (f *file) noteRegistration(n *ast.CallExpr) {
	f.registrations = append(f.registrations, &registration{call: n})
	f.rewriteRegistryChain(n)
}

// rewriteNewRegistry rewrites a registry that is made and filled in one expression. One that a block fills line by line waits
// for the end of the block.
func (f *file) rewriteNewRegistry(n *ast.CallExpr) { f.rewriteRegistryChain(n) }

// dropBuild drops the call that turns version 1's builder into a registry.
func (f *file) dropBuild(n *ast.CallExpr) {
	f.replace(n, f.text(n.Fun.(*ast.SelectorExpr).X))
	f.rewriteRegistryChain(n)
}

// rewriteRegistryChain takes a chain once its last call is reached.
func (f *file) rewriteRegistryChain(n *ast.CallExpr) {
	root := n
	for !f.makesRegistry(root) {
		s, ok := root.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if root, ok = s.X.(*ast.CallExpr); !ok {
			return
		}
	}
	if _, top := f.collectRegistrations(root); top != ast.Expr(n) {
		return
	}
	if block, ok := f.parents[f.parents[n]].(*ast.BlockStmt); ok && f.firstResult(n) != nil {
		f.registries[block] = append(f.registries[block], root)
		return
	}
	f.rewriteRegistry(root)
}

func (f *file) makesRegistry(n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, _ := f.keyOf(s)
	return key == "bson.NewRegistry" || key == "bson.NewRegistryBuilder"
}

// rewriteRegistries rewrites the registries that a block fills.
func (f *file) rewriteRegistries(block *ast.BlockStmt) {
	for _, n := range f.registries[block] {
		f.rewriteRegistry(n)
	}
}

// reportLeftRegistrations reports the calls that no registry has taken.
func (f *file) reportLeftRegistrations() {
	for _, r := range f.registrations {
		if !r.used {
			name := r.call.Fun.(*ast.SelectorExpr).Sel.Name
			if len(r.call.Args) == 2 && f.isJSONTagCodec(r.call.Args[1]) {
				f.report(r.call, "bson.JSONTags is for all structs: it takes the place of %s for reflect.Struct in both directions", name)
				continue
			}
			f.report(r.call, "bson.Codecs has no %s and no NewRegistry: they are made at once, by bson.NewCodecs, of rules such as "+
				"bson.NewCodec", name)
		}
	}
}

// rewriteRegistry rewrites the making of one registry and the calls that follow it in its block.
func (f *file) rewriteRegistry(n *ast.CallExpr) {
	calls, top := f.collectRegistrations(n)
	var lines []ast.Stmt
	if id := f.firstResult(top.(*ast.CallExpr)); id != nil {
		block, _ := f.parents[f.parents[top]].(*ast.BlockStmt)
		for _, use := range f.usesOf(f.objectOf(id)) {
			more, last := f.collectRegistrations(use)
			line, ok := f.parents[last].(*ast.ExprStmt)
			if len(more) == 0 {
				continue // Build, or the registry goes somewhere
			}
			if !ok || block == nil || f.parents[line] != ast.Node(block) {
				return // the calls are reported
			}
			calls, lines = append(calls, more...), append(lines, line)
		}
	}
	late, ok := f.lateDeclaration(top, calls, lines)
	if !ok {
		return
	}
	rules, ok := f.rulesOf(calls)
	if !ok {
		return
	}
	for _, r := range f.registrations {
		r.used = r.used || slices.Contains(calls, r.call)
	}
	for _, line := range lines {
		f.replace(line, "")
	}
	text := strings.Join(rules, ",\n")
	if len(rules) > 0 {
		text = "\n" + text + ",\n"
	}
	text = f.useHelper("codecsOf") + "(" + f.qualify("bson.NewCodecs") + "(" + text + "))"
	if late != nil {
		f.dropped = append(f.dropped, late)
		f.replace(lines[len(lines)-1], f.text(late.Lhs[0])+" "+late.Tok.String()+" "+text)
		return
	}
	f.replace(top, text)
}

// collectRegistrations collects the calls of a chain that adds to what n makes or names, and returns the last call of the
// chain with version 1's Build.
func (f *file) collectRegistrations(n ast.Expr) (calls []*ast.CallExpr, top ast.Expr) {
	for {
		s, ok := f.parents[n].(*ast.SelectorExpr)
		if !ok || s.X != n {
			return calls, n
		}
		call, ok := f.parents[s].(*ast.CallExpr)
		if !ok || call.Fun != ast.Expr(s) {
			return calls, n
		}
		if s.Sel.Name != "Build" {
			if !slices.ContainsFunc(f.registrations, func(r *registration) bool { return r.call == call }) {
				return calls, n
			}
			calls = append(calls, call)
		}
		n = call
	}
}

// rulesOf writes the rules that take the place of calls that add to a registry. A later call for a type replaces an
// earlier one.
func (f *file) rulesOf(calls []*ast.CallExpr) (rules []string, ok bool) {
	var names []string
	encode, decode, anyAs := map[string]string{}, map[string]string{}, map[string]string{}
	if i := slices.IndexFunc(calls, registersKind); i >= 0 {
		rule, ok := f.kindRules(slices.DeleteFunc(slices.Clone(calls), func(n *ast.CallExpr) bool { return !registersKind(n) }))
		if !ok {
			return nil, false
		}
		rules = append(rules, rule)
	}
	for _, call := range calls {
		if registersKind(call) {
			continue
		}
		method := call.Fun.(*ast.SelectorExpr).Sel.Name
		of, value := call.Args[0], call.Args[1]
		if method == "RegisterTypeMapEntry" {
			of, value = value, of
		}
		t := f.reflectedType(of)
		name := f.typeSource(t)
		if name == "" {
			return nil, false
		}
		if f.isJSONTagCodec(value) {
			return nil, false // bson.JSONTags is for all types
		}
		key := name
		switch method {
		case "RegisterTypeMapEntry":
			key = "any " + f.text(value)
			anyAs[key] = f.qualify("bson.AnyAs") + "[" + name + "](" + f.text(value) + ")"
			f.reportMapEntry(call, value)
		case "RegisterCodec":
			encode[key], decode[key] = f.codecFunc(value, "EncodeValue"), f.codecFunc(value, "DecodeValue")
			f.reportOmitted(call, t, name)
			f.reportFromZero(value)
		case "RegisterTypeEncoder", "RegisterEncoder":
			encode[key] = f.codecFunc(value, "EncodeValue")
			f.reportOmitted(call, t, name)
		default:
			decode[key] = f.codecFunc(value, "DecodeValue")
			f.reportFromZero(value)
		}
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	for _, name := range names {
		if rule := anyAs[name]; rule != "" {
			rules = append(rules, rule)
			continue
		}
		rules = append(rules, f.qualify("bson.NewCodec")+"("+f.adaptCodec("bsonEncodeWith", name, encode[name])+", "+
			f.adaptCodec("bsonDecodeWith", name, decode[name])+")")
	}
	return rules, true
}

// rewriteCodecError rewrites the error that encoders and decoders return for a value of the wrong type.
func (f *file) rewriteCodecError(n *ast.CompositeLit) {
	name, received := `"codec"`, "nil"
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		switch kv.Key.(*ast.Ident).Name {
		case "Name":
			name = f.text(kv.Value)
		case "Received":
			received = f.text(kv.Value) + ".Kind()"
		}
	}
	f.unreport(n)
	f.extra["fmt"] = true
	f.replace(n, `fmt.Errorf("%s: a value of kind %v is of the wrong type", `+name+", "+received+")")
}

// adaptCodec writes the function of a codec, or a nil one where the registry has only the other direction.
func (f *file) adaptCodec(helper, name, fn string) string {
	if fn != "" {
		return f.useHelper(helper) + "[" + name + "](" + fn + ")"
	}
	raw := f.qualify("bson.RawValue")
	if helper == "bsonEncodeWith" {
		return "(func(" + name + ") (" + raw + ", error))(nil)"
	}
	return "(func(" + raw + ") (" + name + ", error))(nil)"
}

// codecFunc writes the function of an encoder or decoder: what is converted to one, or its method.
func (f *file) codecFunc(e ast.Expr, method string) string {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && f.pkg.TypesInfo.Types[call.Fun].IsType() {
		return f.text(call.Args[0])
	}
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr:
		return f.text(e) + "." + method
	}
	return "(" + f.text(e) + ")." + method
}

// reportMapEntry reports what version 1 does otherwise with documents inside documents.
func (f *file) reportMapEntry(call *ast.CallExpr, kind ast.Expr) {
	if strings.HasSuffix(f.text(kind), ".EmbeddedDocument") && !strings.Contains(f.pkg.TypesInfo.TypeOf(kind).String(), "/v2/") {
		f.report(call, "bson.AnyAs applies inside a bson.D too; version 1 keeps a bson.D in a bson.D")
	}
}

// reportOmitted reports that omitempty leaves out more where a codec encodes a type.
func (f *file) reportOmitted(call *ast.CallExpr, t types.Type, name string) {
	if zero, _, _ := types.LookupFieldOrMethod(t, true, f.pkg.Types, "IsZero"); zero != nil {
		return
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		f.report(call, "where a field has the tag omitempty, the zero value of %s is left out here, and written by the "+
			"official driver", name)
	}
}

// reflectedType returns the type that an expression reflects: reflect.TypeOf(v), reflect.TypeFor[T](), or a variable that
// is declared as one of them.
func (f *file) reflectedType(e ast.Expr) types.Type {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if value := f.declaredAs(f.objectOf(e)); value != nil {
			return f.reflectedType(value)
		}
	case *ast.CallExpr:
		fun := e.Fun
		if index, ok := fun.(*ast.IndexExpr); ok && len(e.Args) == 0 {
			if f.isCallOf(index.X, "reflect", "TypeFor") {
				return f.typeOf(index.Index)
			}
		}
		if f.isCallOf(fun, "reflect", "TypeOf") && len(e.Args) == 1 && !types.IsInterface(f.typeOf(e.Args[0])) {
			return types.Default(f.typeOf(e.Args[0]))
		}
	}
	return nil
}

func (f *file) isCallOf(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	o := f.objectOf(s.Sel)
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == pkg && o.Name() == name
}

// declaredAs returns the value that a variable of the package is declared with.
func (f *file) declaredAs(o types.Object) (value ast.Expr) {
	for _, tree := range f.pkg.Syntax {
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if f.objectOf(name) == o && len(n.Values) == len(n.Names) {
						value = n.Values[i]
					}
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok && f.pkg.TypesInfo.Defs[id] == o && o != nil && len(n.Rhs) == len(n.Lhs) {
						value = n.Rhs[i]
					}
				}
			}
			return true
		})
	}
	return value
}

// typeSource writes a type as this file names it. It is empty where the file imports no package for it.
func (f *file) typeSource(t types.Type) string {
	if t == nil {
		return ""
	}
	known := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg.Types {
			return ""
		}
		if isOfficialPath(p.Path()) {
			return "\x01" + shortName(p.Path())
		}
		for _, s := range f.tree.Imports {
			if importPath(s) == p.Path() {
				if s.Name != nil {
					return s.Name.Name
				}
				return p.Name()
			}
		}
		known = false
		return ""
	})
	if !known {
		return ""
	}
	return officialName.ReplaceAllStringFunc(text, func(s string) string { return f.qualify(counterpart(s[1:])) })
}
