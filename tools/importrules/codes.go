package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// namedCodes reads the numbers that errcode names, by how Go spells them.
func namedCodes(root string) (map[string]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "generated", "errcode", "code.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
				continue
			}
			if n, ok := v.Values[0].(*ast.BasicLit); ok && n.Kind == token.INT {
				names[n.Value] = v.Names[0].Name
			}
		}
	}
	return names, nil
}

// codeProblems finds errors of mongotest whose number is written out although errcode names it. The server's other
// assertions have no name but their number.
func codeProblems(fset *token.FileSet, f *ast.File, names map[string]string) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := s.X.(*ast.Ident)
		number, literal := call.Args[0].(*ast.BasicLit)
		if !ok || !literal || pkg.Name != "status" || !strings.HasPrefix(s.Sel.Name, "Error") {
			return true
		}
		if name := names[number.Value]; name != "" {
			out = append(out, fmt.Sprintf("%s: %s is errcode.%s", fset.Position(number.Pos()), number.Value, name))
		}
		return true
	})
	return out
}
