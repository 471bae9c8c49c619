package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// literal is a text, a number or a duration of hand-written Go. value is the same for all spellings of it.
type literal struct {
	file, at, text string
	value          string
}

// eachFile parses the Go files below a folder that no test and no compiled suite owns.
func eachFile(dir string, visit func(name string, fset *token.FileSet, file *ast.File)) error {
	fset := token.NewFileSet()
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", "conformance", "upstream"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(filepath.ToSlash(name), fset, file)
		}
		return err
	})
}

// constantsOf maps values to the names of the exported constants of generated packages.
func constantsOf(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := eachFile(dir, func(_ string, _ *token.FileSet, file *ast.File) {
		for _, decl := range file.Decls {
			if general, ok := decl.(*ast.GenDecl); ok && general.Tok == token.CONST {
				for _, spec := range general.Specs {
					addConstants(out, file.Name.Name, spec.(*ast.ValueSpec))
				}
			}
		}
	})
	if err == nil && len(out) == 0 {
		err = errors.New("there is no constant below " + dir)
	}
	return out, err
}

func addConstants(out map[string]string, pkg string, spec *ast.ValueSpec) {
	for i := range min(len(spec.Names), len(spec.Values)) {
		value, name := valueOfExpression(spec.Values[i]), pkg+"."+spec.Names[i].Name
		switch {
		case value == "" || !spec.Names[i].IsExported():
		case out[value] == "":
			out[value] = name
		default:
			out[value] += " or " + name
		}
	}
}

// literalsOf returns the literals of the hand-written files below some folders.
func literalsOf(root string, dirs ...string) ([]literal, error) {
	var out []literal
	for _, dir := range dirs {
		err := eachFile(filepath.Join(root, dir), func(name string, fset *token.FileSet, file *ast.File) {
			rel, _ := filepath.Rel(root, name)
			rel = filepath.ToSlash(rel)
			eachLiteral(file, func(n ast.Expr, value string) {
				at := rel + ":" + strconv.Itoa(fset.Position(n.Pos()).Line)
				out = append(out, literal{file: rel, at: at, text: types.ExprString(n), value: value})
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// findRepeated returns the literals whose value occurs in several files.
func findRepeated(all []literal) []literal {
	first, several := map[string]string{}, map[string]bool{}
	for _, l := range all {
		if first[l.value] == "" {
			first[l.value] = l.file
		}
		several[l.value] = several[l.value] || first[l.value] != l.file
	}
	return slices.DeleteFunc(slices.Clone(all), func(l literal) bool { return !several[l.value] })
}
