package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
)

// TestPendingRulesArePending checks that nothing which REFERENCE.md says is missing exists by now.
func TestPendingRulesArePending(t *testing.T) {
	built := runtimeNames(t)
	for _, name := range []string{"Collection", "command.Find"} {
		if !built[name] {
			t.Errorf("%s is not found", name)
		}
	}
	tables := load.NewTables(os.DirFS("../specs"))
	for _, r := range tables.Documentation().Rows {
		for _, name := range r.Pending {
			if built[name] {
				t.Errorf("%s: %s is there: read the rule, and take it off the column pending", r.At, name)
			}
		}
	}
}

// runtimeNames are the types of package mongo, and the names from other packages that the runtime uses.
func runtimeNames(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir("../runtime", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if strings.HasPrefix(filepath.ToSlash(name), "../tools/mongotest/") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if f.Name.Name == "mongo" {
					out[n.Name.Name] = true
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok {
					out[id.Name+"."+n.Sel.Name] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
