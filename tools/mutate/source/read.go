package source

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
)

// Read reads the files of a package below the module that a build on this machine has, and finds their mutants.
func Read(root, pkg string) ([]*File, error) {
	dir, err := build.ImportDir(filepath.Join(root, filepath.FromSlash(pkg)), 0)
	if err != nil {
		return nil, fmt.Errorf("read the package: %w", err)
	}
	var files []*File
	for _, name := range dir.GoFiles {
		text, err := os.ReadFile(filepath.Join(dir.Dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parse(path.Join(pkg, name), string(text))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func parse(name, text string) (*File, error) {
	f := &File{Name: name, text: text, set: token.NewFileSet()}
	tree, err := parser.ParseFile(f.set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f.tree, f.Package = tree, tree.Name.Name
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !recovers(fn) {
			w := &finder{file: f, function: fn}
			w.addEarlyReturn(fn)
			ast.PreorderStack(fn.Body, nil, w.visit)
		}
	}
	return f, nil
}

// recovers reports whether a function calls recover, which does nothing in the copies that Weave makes of its body.
func recovers(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "recover"
		return true
	})
	return found
}

// Sample puts the mutants of a package in a random order.
func Sample(files []*File, seed uint64) []*Mutant {
	var all []*Mutant
	for _, f := range files {
		all = append(all, f.Mutants...)
	}
	r := rand.New(rand.NewPCG(seed, seed))
	r.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}
