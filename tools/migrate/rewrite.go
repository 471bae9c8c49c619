package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// rewrite returns the new text of the file. It rewrites parts before the whole, so a rule for a call finds its
// arguments already rewritten.
func (f *file) rewrite() ([]byte, error) {
	f.findConnections()
	f.reportInterfaces()
	var stack []ast.Node
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n != nil {
			stack = append(stack, n)
			_, isImport := n.(*ast.ImportSpec)
			if isImport {
				stack = stack[:len(stack)-1]
			}
			return !isImport
		}
		last := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f.visit(last)
		return true
	})
	f.reportLeftRegistrations()
	for _, n := range f.dropped {
		f.unreportIn(n)
		f.dropLine(n)
	}
	f.dropVariables()
	if strings.Contains(f.textBetween(f.tree.FileStart, f.tree.FileEnd), newCall) {
		f.raiseGoVersion()
	}
	f.keepHelpers()
	if err := f.dropUnused(); err != nil {
		return nil, err
	}
	f.replaceImports()
	return formatText(f.src, []byte(f.resolveNewCalls(f.textBetween(f.tree.FileStart, f.tree.FileEnd))))
}

// dropUnused forgets the packages that no line of the new text names, such as options when all that was left of them
// was a connection string.
func (f *file) dropUnused() error {
	text := strings.ReplaceAll(f.textBetween(f.tree.FileStart, f.tree.FileEnd), newCall, "new") + f.helperText()
	tree, err := parser.ParseFile(token.NewFileSet(), f.path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	f.used = used
	for short, name := range f.names {
		if !used[name] {
			delete(f.names, short)
		}
	}
	for short, name := range f.aliases {
		if !used[name] {
			delete(f.aliases, short)
		}
	}
	return nil
}

func (f *file) visit(n ast.Node) {
	f.at = n.Pos()
	defer func() { f.at = token.NoPos }()
	switch n := n.(type) {
	case *ast.SelectorExpr:
		f.rewriteSelector(n)
	case *ast.IndexExpr:
		f.rewriteLister(n)
		f.convertMapIndex(n)
	case *ast.AssignStmt:
		f.adaptAssigned(n)
		f.wrapAssigned(n)
	case *ast.ReturnStmt:
		f.adaptReturned(n)
	case *ast.StarExpr:
		f.rewriteStar(n)
	case *ast.UnaryExpr:
		f.rewriteAddress(n)
	case *ast.RangeStmt:
		f.convertCodes(n)
	case *ast.CompositeLit:
		f.adaptFields(n)
		f.rewriteLiteral(n)
		f.reportUnordered(n)
	case *ast.KeyValueExpr:
		f.reportForeignElement(n)
	case *ast.Ident:
		f.convertMarshalled(n)
	case *ast.BasicLit:
		f.nameNumber(n)
		f.renameURIOptions(n)
		f.reportErrorText(n)
	case *ast.CallExpr:
		f.reportNumberConversion(n)
		f.adaptArguments(n)
		f.replaceNilContext(n)
		f.rewriteCall(n)
	case *ast.ExprStmt:
		f.removeStatement(n)
	case *ast.BlockStmt:
		f.rewriteRegistries(n)
	case *ast.Field:
		f.rewriteTag(n)
	case *ast.StructType:
		f.reportStoredForm(n)
	case *ast.FuncDecl:
		f.rewriteValuer(n)
	case *ast.TypeAssertExpr:
		f.rewriteListerAssertion(n)
	case *ast.BinaryExpr:
		f.reportNilComparison(n)
		f.rewriteComparison(n)
	case *ast.CaseClause:
		f.reportWrappedCase(n)
	case *ast.TypeSwitchStmt:
		f.dropRepeatedCases(n)
	}
}

// keyOf names an object of the official driver, as "mongo.Connect" or "mongo.Collection.Find". The member of an
// embedded type counts as a member of the type that it is selected from.
func (f *file) keyOf(n *ast.SelectorExpr) (string, types.Object) {
	if s, ok := f.pkg.TypesInfo.Selections[n]; ok {
		owner, _ := ownerOf(s)
		if owner == nil {
			return "", nil
		}
		return shortName(owner.Obj().Pkg().Path()) + "." + coreName(owner.Obj()) + "." + n.Sel.Name, s.Obj()
	}
	o := f.pkg.TypesInfo.Uses[n.Sel] // of an embedded type, not of the field that it makes
	if o == nil || !isOfficial(o) {
		return "", nil
	}
	return shortName(o.Pkg().Path()) + "." + coreName(o), o
}

func isOfficial(o types.Object) bool {
	if o.Pkg() == nil {
		return false
	}
	rest, ok := officialPath(o.Pkg().Path())
	return ok && officialPackages[rest] != ""
}

func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// counterpart gives the name in Onion of a package-level name.
func counterpart(key string) string {
	if to, ok := renames[key]; ok {
		return to
	}
	short, name, _ := strings.Cut(key, ".")
	switch short {
	case "options":
		for _, ending := range [...]string{"OptionsBuilder", "Options"} {
			if stem, ok := strings.CutSuffix(name, ending); ok && api["options."+optionsName(stem)] != "" {
				return "options." + optionsName(stem)
			}
		}
	case "primitive":
		return "bson." + name
	case "gridfs":
		return "mongo." + name
	}
	return key
}

// member gives the key in Onion of a field or method.
func member(key string) string {
	at := strings.LastIndexByte(key, '.')
	name := key[at+1:]
	if to, ok := renames[key]; ok {
		name = to
	} else if to, ok := renames["bson."+strings.TrimPrefix(key, "primitive.")]; ok {
		name = to
	}
	return counterpart(key[:at]) + "." + name
}

func (f *file) rewriteSelector(n *ast.SelectorExpr) {
	key, o := f.keyOf(n)
	f.reportWrappedType(n, key)
	if key == "" {
		f.reportForeignField(n)
		f.rewriteContainerType(n)
		f.renameEmbeddedField(n.Sel)
		return
	}
	if f.hasRule(n, key) || f.rewriteCodecType(n, key) || f.renameStreamPool(n, key) || f.renamePoolEvent(n, key) ||
		f.rewriteDatabasesType(n, key) || f.rewriteVectorConstant(n, key) ||
		strings.HasPrefix(key, "mtest.") && !f.mongotest {
		return
	}
	if _, ok := f.pkg.TypesInfo.Selections[n]; ok {
		if strings.HasPrefix(key, "bson.DocumentBuilder.") || strings.HasPrefix(key, "bson.ArrayBuilder.") {
			return // the helper has the same methods
		}
		f.rewriteMember(n, key, o)
		return
	}
	if f.rewriteRawBuilder(n, key) || f.rewriteFunctionValue(n, key) {
		return
	}
	to := counterpart(key)
	if (key == "options.UpdateOptions" || key == "options.DeleteOptions") && f.isInManyParameters(n) {
		to = strings.TrimSuffix(to, "One") + "Many"
	}
	if what := different[key]; what != "" {
		f.report(n, "%s", what)
	}
	if expression, ok := strings.CutPrefix(to, "("); ok {
		expression = strings.TrimSuffix(expression, ")")
		if call, ok := f.parents[n].(*ast.CallExpr); ok && call.Fun == n && strings.HasSuffix(expression, ")") {
			f.replace(call, f.spell(expression))
			return
		}
		f.replace(n, f.spell(expression))
		return
	}
	if key == "options.Lister" {
		return // the index expression around it is replaced whole
	}
	if api[to] == "" {
		f.report(n, "%s has no counterpart%s", key, advice(key))
		if short, _, _ := strings.Cut(to, "."); onionPaths[short] == "" {
			return
		}
	} else if _, isFunc := o.(*types.Func); isFunc && !canReplace(typeText(o.Type()), api[to]) && !accepted[key] {
		f.report(n, "%s is %s here%s", to, api[to], advice(key))
	}
	text := f.qualify(to)
	if t, ok := o.(*types.TypeName); ok && api[to] == "type struct" && holdsStruct(t.Type()) {
		text = "*" + text
	}
	f.replace(n, text)
}

// holdsStruct reports whether values of a type are interfaces or functions, which become pointers to structs.
func holdsStruct(t types.Type) bool {
	_, isFunc := t.Underlying().(*types.Signature)
	return isFunc || types.IsInterface(t)
}

// advice says what to do about a name that has no counterpart, or that means something else.
func advice(key string) string {
	if what := missing[key]; what != "" {
		return ": " + what
	}
	for _, family := range families {
		if family.names.MatchString(key) {
			return ": " + family.what
		}
	}
	if name, ok := strings.CutPrefix(key, "primitive."); ok { // version 1's part of package bson
		return advice("bson." + name)
	}
	return ""
}

func (f *file) rewriteMember(n *ast.SelectorExpr, key string, o types.Object) {
	to := member(key)
	if key == "options.ArrayFilters.Filters" {
		f.replace(n, f.text(n.X))
		return
	}
	if key == "mongo.LabeledError.HasErrorLabel" {
		return
	}
	if key == "options.Credential.PasswordSet" {
		f.rewritePasswordSet(n)
		return
	}
	if f.rewriteUpsertedIDs(n, key) || f.rewriteFileID(n, to) {
		return
	}
	if what := different[to]; what != "" {
		f.report(n, "%s", what)
	}
	if strings.HasPrefix(key, "mongo.SessionContext.") && api["mongo.Session."+n.Sel.Name] != "" {
		f.replace(n.X, f.qualify("mongo.SessionFromContext")+"("+f.text(n.X)+")")
		return
	}
	if setter := setterNames["Set"+n.Sel.Name]; setter != "" && api[to] == "" {
		to = to[:strings.LastIndexByte(to, '.')+1] + setter
	}
	if f.rewriteEventField(n, key, o) || strings.HasPrefix(key, "connstring.ConnString.") && f.rewriteConnectionField(n, o) {
		return
	}
	declared := api[to]
	name := to[strings.LastIndexByte(to, '.')+1:]
	_, isFunc := o.(*types.Func)
	switch {
	case declared == "":
		f.report(n, "%s has no counterpart%s", key, advice(key))
		return
	case !isFunc && strings.HasPrefix(declared, "func() "): // a field there, a method here
		f.replace(n.Sel, name+"()")
		return
	case isFunc && strings.HasPrefix(declared, "field "): // a method there, a field here
		if call, ok := f.parents[n].(*ast.CallExpr); ok && len(call.Args) == 0 {
			f.replaceRange(n.Sel.Pos(), call.End(), name)
			return
		}
	case !isFunc:
		f.renameField(n, typeText(o.Type()), strings.TrimPrefix(declared, "field "), name)
		return
	case strings.HasPrefix(key, "gridfs."): // the rule for the call adds the context
	case !canReplace(typeText(o.Type()), declared) && !accepted[key] && different[to] == "":
		if !f.convertArguments(n, o.Type().(*types.Signature), declared) {
			f.report(n, "%s is %s here%s", to, declared, advice(key))
		}
	}
	if name != n.Sel.Name {
		f.replace(n.Sel, name)
	}
}

// rewriteLister rewrites options.Lister[options.FindOptions].
func (f *file) rewriteLister(n *ast.IndexExpr) {
	s, ok := n.X.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if key, _ := f.keyOf(s); key != "options.Lister" {
		return
	}
	if t := f.typeOf(n.Index); t != nil {
		if named := namedOf(t); named != nil && isOfficial(named.Obj()) {
			f.replace(n, "*"+f.qualify(counterpart("options."+named.Obj().Name())))
		}
	}
}
