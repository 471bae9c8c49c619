package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/suite"
)

// suites is where the packages are that compiled cases call.
const suites = "tools/suite"

// touchingPackages lists the packages of our own cases that can note a row, because they import a package that notes rows, directly or
// not. Most packages cannot, and need not run again.
func touchingPackages(root string) ([]string, error) {
	imports := map[string][]string{} // by folder; the folders below suites that the package there imports
	notes := map[string]bool{}
	for _, pattern := range []string{suites + "/*/*.go", suite.OwnDir + "/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			dir := path.Dir(filepath.ToSlash(rel))
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			notes[dir] = notes[dir] || bytes.Contains(text, []byte("suite.Touch("))
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				if below, ours := strings.CutPrefix(imported, emit.Module+"/"); ours && strings.HasPrefix(below, suites+"/") {
					imports[dir] = append(imports[dir], below)
				}
			}
		}
	}
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(notes)) {
		if strings.HasPrefix(dir, suite.OwnDir+"/") && reaches(dir, imports, notes, map[string]bool{}) {
			out = append(out, "./"+dir)
		}
	}
	return out, nil
}

// reaches reports whether the package in a folder notes rows or imports one that does.
func reaches(dir string, imports map[string][]string, notes, seen map[string]bool) bool {
	if seen[dir] {
		return false
	}
	seen[dir] = true
	return notes[dir] || slices.ContainsFunc(imports[dir], func(next string) bool { return reaches(next, imports, notes, seen) })
}
