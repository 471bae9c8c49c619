package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each row of the equivalents names a line that stands in its function, so that a rename or an edit takes the row along.
func TestEquivalentsNameLinesThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	reasons, err := readEquivalents(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(reasons) < 100 {
		t.Errorf("%d rows", len(reasons))
	}
	for row := range reasons {
		if !standsIn(t, filepath.Join(root, filepath.FromSlash(row.file)), row.row) {
			t.Errorf("%s: no line %q; rename it in %s, or remove the row if the mutant is gone", row.file, row.row, equivalentsFile)
		}
	}
}

// standsIn reports whether the file has the line that a row names: with its function's name before it in Go, alone in a table.
func standsIn(t *testing.T, file, row string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return false
	}
	if filepath.Ext(file) != ".go" {
		return hasLine(string(text), row)
	}
	name, line, _ := strings.Cut(row, ": ")
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return false
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name && hasLine(string(text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset]), line) {
			return true
		}
	}
	return false
}

func hasLine(text, line string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}
