package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// openPackages are the packages of runtime that suites reach: no exported signature of theirs names an internal type.
var openPackages = []string{"runtime/uri", "runtime/sdam", "runtime/selection", "runtime/pool"}

// silentPackages are the packages of runtime that do no I/O. From package net they use only types and functions that split
// addresses.
var silentPackages = []string{"runtime/sdam", "runtime/selection"}

// harmlessNames are the names of package net that do no I/O.
var harmlessNames = []string{"Addr", "AddrError", "DNSError", "Error", "IP", "JoinHostPort", "OpError", "ParseIP", "SplitHostPort"}

// sourceProblems reads the files of a package for what the list of its imports does not show.
func sourceProblems(p goPackage, codes map[string]string) ([]string, error) {
	var out []string
	files := slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles, p.CgoFiles, p.IgnoredGoFiles)
	fset := token.NewFileSet()
	for i, name := range files {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		out = append(out, aliasProblems(fset, f)...)
		out = append(out, cgoProblems(fset, f)...)
		if i < len(p.GoFiles) && slices.Contains(openPackages, inModule(p.ImportPath)) {
			out = append(out, signatureProblems(fset, f)...)
		}
		if i < len(p.GoFiles) && isWithin(inModule(p.ImportPath), "tools/mongotest") {
			out = append(out, codeProblems(fset, f, codes)...)
		}
		if i < len(p.GoFiles) && slices.Contains(silentPackages, inModule(p.ImportPath)) {
			out = append(out, networkProblems(fset, f)...)
		}
	}
	return out, nil
}

// cgoProblems finds C. Without a C compiler such a file is ignored, so the files for other systems are read, too.
func cgoProblems(fset *token.FileSet, f *ast.File) []string {
	var out []string
	for _, spec := range f.Imports {
		if spec.Path.Value == `"C"` {
			out = append(out, fmt.Sprintf("%s: there is no cgo here", fset.Position(spec.Pos())))
		}
	}
	return out
}

// aliasProblems finds packages of ours that are imported under another name. Packages in different parts of the house may have one
// name, but no file needs two of them.
func aliasProblems(fset *token.FileSet, f *ast.File) []string {
	var out []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil && spec.Name != nil && spec.Name.Name != "." && isOurs(path) {
			out = append(out, fmt.Sprintf("%s: %s is imported under its own name", fset.Position(spec.Pos()), inModule(path)))
		}
	}
	return out
}

func networkProblems(fset *token.FileSet, f *ast.File) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == "net" && !slices.Contains(harmlessNames, s.Sel.Name) {
				out = append(out, fmt.Sprintf("%s: net.%s does I/O", fset.Position(n.Pos()), s.Sel.Name))
			}
		}
		return true
	})
	return out
}

// signatureProblems finds exported functions, methods, types, fields, constants and variables of a file that name a
// type of an internal package.
func signatureProblems(fset *token.FileSet, f *ast.File) []string {
	internal := map[string]string{}
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !strings.Contains(path, "/internal/") {
			continue
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		internal[name] = path
	}
	if len(internal) == 0 {
		return nil
	}
	var out []string
	ast.FileExports(f)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.ValueSpec:
			if n.Type == nil {
				return false
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && internal[id.Name] != "" {
				out = append(out, fmt.Sprintf("%s: an exported signature names %s.%s",
					fset.Position(n.Pos()), inModule(internal[id.Name]), n.Sel.Name))
			}
		}
		return true
	})
	return out
}
