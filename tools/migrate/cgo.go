package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// The go command hands out what cgo makes of a file that imports "C", not the file itself. Such packages are checked again, from
// their own files.

// recheckWithoutCgo checks a package from the files that its author wrote. Names of C have no types then, which no rule asks for.
func recheckWithoutCgo(p *packages.Package) error {
	if !slices.ContainsFunc(p.GoFiles, func(path string) bool { return !slices.Contains(p.CompiledGoFiles, path) }) {
		return nil
	}
	var trees []*ast.File
	for _, path := range p.GoFiles {
		tree, err := parser.ParseFile(p.Fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		trees = append(trees, tree)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	conf := types.Config{FakeImportC: true, Importer: importer(p.Imports), Error: func(error) {}}
	checked, _ := conf.Check(p.PkgPath, p.Fset, trees, info) // it compiled; what is wrong now are names of C
	p.Types, p.TypesInfo, p.Syntax, p.CompiledGoFiles = checked, info, trees, p.GoFiles
	return nil
}

// importer finds the packages that a loaded package imports.
type importer map[string]*packages.Package

// Import returns the types of a package.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}
