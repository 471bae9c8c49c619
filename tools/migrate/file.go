package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A file is one source file during its rewrite: its original tree and types, and the edits that turn its text into the
// new one.
type file struct {
	pkg     *packages.Package
	tree    *ast.File
	path    string
	src     []byte
	edits   []edit
	leaves  []leave
	parents map[ast.Node]ast.Node
	// names are the packages of Onion that the new text uses, by the name that api gives them, with the name in this
	// file.
	names map[string]string
	// aliases are second names of packages, for places where a variable has the first, and at is the place that is being rewritten.
	aliases map[string]string
	at      token.Pos
	// extra are packages of the standard library that the new text uses.
	extra map[string]bool
	// used are the names of packages in the new text.
	used map[string]bool
	// mongotest says that containers become deployments of mongotest.
	mongotest bool
	// own are the packages that are rewritten together.
	own map[string]bool
	// connections are variables that hold options of a client and the connection string that came with them.
	connections map[types.Object]string
	// dropped are declarations of variables whose value has moved into their only use.
	dropped   []ast.Node
	declaring map[*ast.AssignStmt]bool // they declare the error now, because the call that did cannot fail
	// warned says that the report already mentions what version 1 decodes differently.
	warned bool
	// helped are the helpers that some file declares, by package and name, and helpers those that this file declares.
	helped, helpers map[string]bool
	// registries are the calls that make registries which a block fills, and registrations those that add to one.
	registries    map[*ast.BlockStmt][]*ast.CallExpr
	registrations []*registration
	// build is the constraint in the file: helpers that it declares are unknown to files with another one.
	build string
	// stored are the structs that the program stores, by place.
	stored map[string]bool
	// asksForNil says that some code of the program compares a context with nil.
	asksForNil bool
	// wholes are the new texts of statements that a rule for a part of them has written.
	wholes map[ast.Stmt]string
	// raws are the variables that are known to hold the result of bson.Marshal, or not.
	raws map[*types.Var]bool
	// removed are statements that another line has replaced.
	removed map[ast.Node]bool
}

type edit struct {
	start, end token.Pos
	text       string
}

// A leave is something that a person has to look at.
type leave struct {
	at   token.Position
	what string
}

func newFile(p *packages.Package, tree *ast.File, path string, src []byte) *file {
	f := &file{
		pkg: p, tree: tree, path: path, src: src, parents: map[ast.Node]ast.Node{}, names: map[string]string{},
		raws: map[*types.Var]bool{}, aliases: map[string]string{}, extra: map[string]bool{}, connections: map[types.Object]string{},
		removed: map[ast.Node]bool{}, declaring: map[*ast.AssignStmt]bool{}, helpers: map[string]bool{},
		registries: map[*ast.BlockStmt][]*ast.CallExpr{}, wholes: map[ast.Stmt]string{},
	}
	if expr := constraintIn(tree); expr != nil {
		f.build = expr.String()
	}
	var stack []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			f.parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return f
}

func (f *file) report(n ast.Node, format string, args ...any) {
	f.leaves = append(f.leaves, leave{at: f.pkg.Fset.Position(n.Pos()), what: fmt.Sprintf(format, args...)})
}

func (f *file) offset(p token.Pos) int { return f.pkg.Fset.Position(p).Offset }

// text returns the new text of a node: the old one with the edits inside it.
func (f *file) text(n ast.Node) string { return f.textBetween(n.Pos(), n.End()) }

func (f *file) textBetween(start, end token.Pos) string {
	var b strings.Builder
	at := start
	for _, e := range f.edits {
		if e.start < start || e.end > end {
			continue
		}
		b.Write(f.src[f.offset(at):f.offset(e.start)])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(f.src[f.offset(at):f.offset(end)])
	return b.String()
}

// replace gives a node a new text, in place of all edits inside it.
func (f *file) replace(n ast.Node, text string) { f.replaceRange(n.Pos(), n.End(), text) }

func (f *file) replaceRange(start, end token.Pos, text string) {
	f.edits = slices.DeleteFunc(f.edits, func(e edit) bool { return e.start >= start && e.end <= end })
	f.edits = append(f.edits, edit{start, end, text})
	slices.SortStableFunc(f.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
}

// insert puts text before a position.
func (f *file) insert(at token.Pos, text string) {
	f.edits = append(f.edits, edit{at, at, text})
	slices.SortStableFunc(f.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
}

// use returns the qualifier of a package of Onion at the place of the file that is being rewritten, and has it imported: another
// one where a variable has the package's name.
func (f *file) use(short string) string {
	name := f.importName(short)
	if f.at.IsValid() {
		if _, o := f.scope().LookupParent(name, f.at); o != nil && !isPackage(o) {
			f.aliases[short] = "onion" + short
			return f.aliases[short]
		}
	}
	return name
}

// scope returns the innermost scope of the place that is being rewritten.
func (f *file) scope() *types.Scope {
	if s := f.pkg.Types.Scope().Innermost(f.at); s != nil {
		return s
	}
	return f.pkg.Types.Scope()
}

func isPackage(o types.Object) bool {
	_, ok := o.(*types.PkgName)
	return ok
}

// importName returns the name by which the file imports a package of Onion.
func (f *file) importName(short string) string {
	if name, ok := f.names[short]; ok {
		return name
	}
	name := short
	if f.declares(short) || f.importsOther(short) {
		name = "onion" + short
	}
	for _, s := range f.tree.Imports {
		rest, ok := officialPath(importPath(s))
		if ok && s.Name != nil && s.Name.Name != "_" && s.Name.Name != "." && officialPackages[rest] == short &&
			officialShort(rest) == short {
			name = s.Name.Name
		}
		if ok && s.Name == nil && officialShort(rest) == short {
			name = short
		}
	}
	f.names[short] = name
	return name
}

// importsOther reports whether the file imports a package of somebody else's that has a name.
func (f *file) importsOther(name string) bool {
	return slices.ContainsFunc(f.tree.Imports, func(s *ast.ImportSpec) bool {
		if _, official := officialPath(importPath(s)); official {
			return false
		}
		p := f.pkg.TypesInfo.PkgNameOf(s)
		return p != nil && p.Name() == name
	})
}

// declares reports whether the file gives a name to something of its own.
func (f *file) declares(name string) bool {
	for id, o := range f.pkg.TypesInfo.Defs {
		if id.Name != name || o == nil || f.pkg.Fset.File(id.Pos()) != f.pkg.Fset.File(f.tree.Pos()) {
			continue
		}
		if v, ok := o.(*types.Var); !ok || !v.IsField() {
			return true
		}
	}
	return f.pkg.Types.Scope().Lookup(name) != nil
}

// qualify turns "mongo.Find" into the name by which this file knows it.
func (f *file) qualify(name string) string {
	short, rest, _ := strings.Cut(name, ".")
	return f.use(short) + "." + rest
}

// spell turns a type in api's form into the text that this file writes for it.
func (f *file) spell(text string) string {
	return qualified.ReplaceAllStringFunc(text, func(s string) string {
		short, _, _ := strings.Cut(s, ".")
		if _, ok := onionPaths[short]; ok {
			return f.qualify(s)
		}
		f.extra[map[string]string{"time": "time", "context": "context", "tls": "crypto/tls"}[short]] = true
		return s
	})
}

func (f *file) typeOf(e ast.Expr) types.Type { return f.pkg.TypesInfo.TypeOf(e) }

func (f *file) objectOf(id *ast.Ident) types.Object { return f.pkg.TypesInfo.ObjectOf(id) }

func importPath(s *ast.ImportSpec) string {
	path, _ := strconv.Unquote(s.Path.Value)
	return path
}
