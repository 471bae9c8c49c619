package observe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The driver logs every message of the tables. Each is in the list of these tests, so that its text does not change by
// accident.
func TestEveryMessageIsLoggedAndListed(t *testing.T) {
	listed := map[string]bool{}
	for _, m := range messages {
		listed[reflect.TypeOf(m).Elem().Name()] = true
	}
	made := madeInRuntime(t)
	for _, name := range messageTypes(t) {
		if !made[name] {
			t.Errorf("nothing in runtime makes a logmsg.%s: log it where the driver does what the message says", name)
		}
		if !listed[name] {
			t.Errorf("messages_test.go does not list logmsg.%s: add it, and run the tests with -update", name)
		}
	}
}

// messageTypes are the types of package logmsg with a method AppendAttrs.
func messageTypes(t *testing.T) []string {
	t.Helper()
	var names []string
	inspect(t, "../../../generated/core/logmsg", func(n ast.Node) {
		if f, ok := n.(*ast.FuncDecl); ok && f.Name.Name == "AppendAttrs" && f.Recv != nil {
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				names = append(names, star.X.(*ast.Ident).Name)
			}
		}
	})
	if len(names) < 20 {
		t.Fatalf("only %d messages were found", len(names))
	}
	return names
}

// madeInRuntime are the types of package logmsg of which the runtime has literals outside tests.
func madeInRuntime(t *testing.T) map[string]bool {
	t.Helper()
	made := map[string]bool{}
	inspect(t, "../..", func(n ast.Node) {
		if literal, ok := n.(*ast.CompositeLit); ok {
			if s, ok := literal.Type.(*ast.SelectorExpr); ok && s.X.(*ast.Ident).Name == "logmsg" {
				made[s.Sel.Name] = true
			}
		}
	})
	return made
}

// inspect visits the nodes of all files below a directory, outside tests.
func inspect(t *testing.T, dir string, visit func(ast.Node)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			ast.Inspect(f, func(n ast.Node) bool { visit(n); return true })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
