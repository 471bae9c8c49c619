package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// In packages below tables every constant must have a reader; in those below core, which only the driver imports, every
// function must have a caller, too. The functions of the others are for users.
const (
	tables = "generated"
	core   = "generated/core"
)

// handled are types whose every value asks for code: what only its own package names does nothing.
var handled = []string{"generated/bsontype.Type", "generated/core/authtable.Mechanism", "generated/core/wire.CompressorID",
	"generated/options.ReadPreferenceMode"}

// unusedFile lists what is known to have no caller yet, each line with its reason.
const unusedFile = "tools/importrules/unused.txt"

// unusedProblems compares with the committed list the names that nothing but tests uses: constants and fields of generated
// packages, and functions of generated/core. ineffective are the fields, with their tables.
func unusedProblems(root string, ineffective map[string]string) ([]string, error) {
	c := calls{declared: map[string]map[string]bool{}, used: map[string]bool{}, elsewhere: map[string]bool{}}
	if err := c.read(root); err != nil {
		return nil, err
	}
	known, err := readUnused(filepath.Join(root, filepath.FromSlash(unusedFile)))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, name := range c.findUnused() {
		found[name] = "only tests use it; give it its caller or delete it"
	}
	for _, name := range c.findUnhandled() {
		found[name] = "no code handles it; write the code, or delete its row"
	}
	for name, table := range ineffective {
		found[name] = "nothing in runtime makes use of it; write the code that does, or delete its row in " + table
	}
	return compareUnused(found, known), nil
}

// compareUnused reports names that only one of the two lists has, and lines without a reason. found says what is wrong with each name.
func compareUnused(found, known map[string]string) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, ok := known[name]; !ok {
			problems = append(problems, name+": "+found[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		switch {
		case found[name] == "":
			problems = append(problems, fmt.Sprintf("%s: %s is used, or gone; take the line out", unusedFile, name))
		case known[name] == "":
			problems = append(problems, fmt.Sprintf("%s: %s has no reason", unusedFile, name))
		}
	}
	return problems
}

// readUnused reads lines of a name and a reason. Lines that start with # are comments.
func readUnused(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known := map[string]string{}
	for s := bufio.NewScanner(f); ; {
		if !s.Scan() {
			return known, s.Err()
		}
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		known[name] = strings.TrimSpace(reason)
	}
}

// calls collects exported functions and constants of generated packages by package, and what code names of these packages.
// A name is a package's path, a dot, and the name in the package.
type calls struct {
	declared  map[string]map[string]bool
	used      map[string]bool
	elsewhere map[string]bool // what other packages name
	values    []string        // the constants of types that are handled
}

// read parses every Go file of the module and of the modules in it, except tests.
func (c *calls) read(root string) error {
	fset := token.NewFileSet()
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		c.addFile(filepath.ToSlash(rel), f)
		return err
	})
}

// addFile adds the declarations and uses of one file of a package.
func (c *calls) addFile(pkg string, f *ast.File) {
	own := ""
	if isWithin(pkg, tables) {
		own = pkg
		c.declare(pkg, f)
	}
	imported := map[string]string{}
	for _, spec := range f.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if target = inModule(target); err != nil || !isWithin(target, tables) {
			continue
		}
		name := path.Base(target)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = target
		c.used[target] = true
	}
	for _, d := range f.Decls {
		declares := ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			declares = fn.Name.Name
		}
		c.addNames(d, declares, own, imported)
	}
}

// addNames adds what a declaration names. A function does not use itself, nor does a constant.
func (c *calls) addNames(d ast.Node, declares, own string, imported map[string]string) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for _, value := range n.Values {
				c.addNames(value, declares, own, imported)
			}
			if n.Type != nil {
				c.addNames(n.Type, declares, own, imported)
			}
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imported[x.Name] != "" {
				name := imported[x.Name] + "." + n.Sel.Name
				c.used[name], c.elsewhere[name] = true, true
				return false
			}
		case *ast.Ident:
			if own != "" && n.Name != declares {
				c.used[own+"."+n.Name] = true
			}
		}
		return true
	})
}

func (c *calls) declare(pkg string, f *ast.File) {
	if c.declared[pkg] == nil {
		c.declared[pkg] = map[string]bool{}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() && isWithin(pkg, core) {
				c.declared[pkg][d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				typ, typed := v.Type.(*ast.Ident)
				for _, name := range v.Names {
					c.declared[pkg][name.Name] = name.IsExported()
					if typed && slices.Contains(handled, pkg+"."+typ.Name) {
						c.values = append(c.values, pkg+"."+name.Name)
					}
				}
			}
		}
	}
}

// findUnhandled lists the values that no package but their own names.
func (c *calls) findUnhandled() []string {
	return slices.DeleteFunc(c.values, func(name string) bool { return c.elsewhere[name] })
}

// findUnused lists packages that nothing imports, and what nothing names in packages that something imports.
func (c *calls) findUnused() []string {
	var out []string
	for _, pkg := range slices.Sorted(maps.Keys(c.declared)) {
		if !c.used[pkg] {
			out = append(out, pkg)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(c.declared[pkg])) {
			if c.declared[pkg][name] && !c.used[pkg+"."+name] {
				out = append(out, pkg+"."+name)
			}
		}
	}
	return out
}
