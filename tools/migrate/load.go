package main

import (
	"context"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule

// load reads packages with their tests and types. A package that does not compile is left as it is, and broken says why:
// without types nothing can be rewritten safely.
func load(ctx context.Context, dir string, set buildSet, patterns []string) (good []*packages.Package, broken []string, err error) {
	conf := &packages.Config{Context: ctx, Mode: loadMode, Dir: dir, Tests: true}
	if set.tags != "" {
		conf.BuildFlags = []string{"-tags=" + set.tags}
	}
	if set.goos != "" {
		conf.Env = append(os.Environ(), "GOOS="+set.goos, "GOARCH="+set.goarch, "CGO_ENABLED=0")
	}
	loaded, err := packages.Load(conf, patterns...)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range loaded {
		if len(p.Errors) == 0 {
			if err := recheckWithoutCgo(p); err != nil {
				return nil, nil, err
			}
			good = append(good, p)
			continue
		}
		if slices.ContainsFunc(p.Syntax, importsDriver) || len(p.Syntax) == 0 {
			broken = append(broken, fmt.Sprintf("%s does not compile and stays as it is: %v", p.ID, cause(p)))
		}
	}
	return good, broken, nil
}

// cause returns the error to show for a package that does not compile: the error of go list, in the package or in one that it
// imports, because the type checker's errors follow from it.
func cause(p *packages.Package) packages.Error {
	found := p.Errors[0]
	packages.Visit([]*packages.Package{p}, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.ListError && found.Kind != packages.ListError {
				found = e
			}
		}
	})
	return found
}

// filesOf makes a file of each source file that imports the official driver. A file that is in several
// packages, such as a package and its variant with tests, appears once: from the package that has the most files.
func filesOf(loaded []*packages.Package, mongotest bool) ([]*file, error) {
	best, own, helped := map[string]*file{}, map[string]bool{}, map[string]bool{}
	uses := slices.ContainsFunc(loaded, func(p *packages.Package) bool { return slices.ContainsFunc(p.Syntax, importsDriver) })
	asks, stored := asksForNilContext(loaded), storedTypes(loaded)
	for _, p := range loaded {
		own[p.PkgPath] = true
		for i, tree := range p.Syntax {
			path := p.CompiledGoFiles[i]
			if !importsDriver(tree) && !(mongotest && importsContainers(tree)) &&
				!(uses && (hasTags(tree) || declaresStored(p, tree, stored) || usesDriver(p, tree))) {
				continue
			}
			if old := best[path]; old != nil && len(old.pkg.Syntax) >= len(p.Syntax) {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			best[path] = newFile(p, tree, path, src)
			best[path].own, best[path].helped, best[path].mongotest = own, helped, mongotest
			best[path].asksForNil, best[path].stored = asks, stored
		}
	}
	var files []*file
	for _, f := range best {
		files = append(files, f)
	}
	// Files behind build tags and tests come last, so a helper that other files need too is declared where all see it.
	slices.SortFunc(files, func(a, b *file) int {
		if (a.build == "") != (b.build == "") {
			return strings.Compare(a.build, b.build)
		}
		if aTest := strings.HasSuffix(a.path, "_test.go"); aTest != strings.HasSuffix(b.path, "_test.go") {
			if aTest {
				return 1
			}
			return -1
		}
		return strings.Compare(a.path, b.path)
	})
	return files, nil
}

func importsDriver(tree *ast.File) bool {
	return slices.ContainsFunc(tree.Imports, func(s *ast.ImportSpec) bool {
		_, ok := officialPath(importPath(s))
		return ok
	})
}

// usesDriver reports whether a file names something of the official driver: it may call a method of a value that another file has
// made, without an import.
func usesDriver(p *packages.Package, tree *ast.File) bool {
	found := false
	ast.Inspect(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !found {
			o := p.TypesInfo.Uses[id]
			found = o != nil && isOfficial(o)
		}
		return !found
	})
	return found
}

func importsContainers(tree *ast.File) bool {
	return slices.ContainsFunc(tree.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == containersMongo })
}
