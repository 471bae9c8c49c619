package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// Every command declares its fields: in its row, or in the engine's file that runs it.
func TestEveryCommandDeclaresItsFields(t *testing.T) {
	handlers := engine.Commands()
	for name, row := range table() {
		if row.fields == nil && handlers[row.name] == nil {
			t.Errorf("%s: its row has no fields; fields.go has takes, and takesAtLeast if nobody can tell what servers refuse", name)
		}
	}
}

// What a handler reads, its command declares.
func TestHandlersReadDeclaredFields(t *testing.T) {
	functions := parseFunctions(t)
	seen := 0
	for _, row := range table() {
		full := runtime.FuncForPC(reflect.ValueOf(row.run).Pointer()).Name()
		name := full[strings.LastIndex(full, ".")+1:]
		if row.fields == nil || functions[name] == nil {
			continue
		}
		fields := fieldsRead(functions, name, map[string]bool{})
		seen += len(fields)
		for _, field := range fields {
			if !row.fields.Knows(field) && field != row.name {
				t.Errorf("%s reads the field %q, which its row does not declare", row.name, field)
			}
		}
	}
	if seen < 50 {
		t.Errorf("the handlers read %d fields: does the test still find them?", seen)
	}
}

// parseFunctions returns the functions of the package by name, and its methods where no function has the name.
func parseFunctions(t *testing.T) map[string]*ast.FuncDecl {
	t.Helper()
	functions := map[string]*ast.FuncDecl{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && !strings.HasSuffix(file, "_test.go") && (fn.Recv == nil || functions[fn.Name.Name] == nil) {
				functions[fn.Name.Name] = fn
			}
		}
	}
	return functions
}

// fieldsRead returns the fields that a function reads of its request r, and those that functions it calls read: r.Text("x"),
// r.Body.Lookup("x").
func fieldsRead(functions map[string]*ast.FuncDecl, name string, visited map[string]bool) (fields []string) {
	if visited[name] {
		return nil
	}
	visited[name] = true
	ast.Inspect(functions[name], func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called := ""
		switch fn := call.Fun.(type) {
		case *ast.Ident:
			called = fn.Name
		case *ast.SelectorExpr:
			if called = fn.Sel.Name; isRequest(fn.X) && len(call.Args) > 0 {
				if literal, ok := call.Args[0].(*ast.BasicLit); ok {
					field, _ := strconv.Unquote(literal.Value)
					fields = append(fields, field)
				}
			} else if !isRequest(fn.X) {
				return true
			}
		}
		if functions[called] != nil {
			fields = append(fields, fieldsRead(functions, called, visited)...)
		}
		return true
	})
	return fields
}

// isRequest reports whether an expression is r or r.Body.
func isRequest(x ast.Expr) bool {
	if s, ok := x.(*ast.SelectorExpr); ok && s.Sel.Name == "Body" {
		x = s.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "r"
}
