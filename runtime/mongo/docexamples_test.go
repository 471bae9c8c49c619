package mongo_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPublicMethodHasAnExample reads the package in the same way as go doc.
func TestEveryPublicMethodHasAnExample(t *testing.T) {
	parse := func(tests bool) []*ast.File {
		names, err := filepath.Glob("*.go")
		if err != nil {
			t.Fatal(err)
		}
		var out []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") != tests {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, file)
		}
		return out
	}
	shown := map[string]bool{}
	for _, file := range parse(true) {
		for _, example := range doc.Examples(file) {
			if example.Output == "" && !example.EmptyOutput {
				t.Errorf("the example of %s has no output, so nothing runs it", example.Name)
			}
			name := example.Name
			if i := strings.LastIndexByte(name, '_'); i > 0 && strings.ToLower(name[i+1:i+2]) == name[i+1:i+2] {
				name = name[:i] // a second example of the same
			}
			shown[name] = true
		}
	}
	count := 0
	for _, file := range parse(false) {
		for _, decl := range file.Decls {
			if name := public(decl); name != "" {
				if count++; !shown[name] {
					t.Errorf("Example%s is missing", name)
				}
			}
		}
	}
	if count < 190 {
		t.Errorf("only %d functions and methods were found", count)
	}
}

// public returns the name of a function or method as examples spell it, or "" if it is not for users.
func public(decl ast.Decl) string {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok || !fn.Name.IsExported() {
		return ""
	}
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	if name, ok := receiver.(*ast.Ident); ok && name.IsExported() {
		return name.Name + "_" + fn.Name.Name
	}
	return ""
}
