package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestReadmeNamesEveryTableAndColumn keeps specs/README.md complete, so a reader can add a row without opening the
// generator.
func TestReadmeNamesEveryTableAndColumn(t *testing.T) {
	data, err := os.ReadFile("../specs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	for _, column := range columns(t) {
		if !strings.Contains(readme, "`"+column+"`") {
			t.Errorf("no table of the README has the column %s", column)
		}
	}
	err = fs.WalkDir(os.DirFS("../specs"), ".", func(name string, d fs.DirEntry, err error) error {
		switch dir, base := path.Split(name); {
		case err != nil:
			return err
		case d.IsDir() && name == "cases":
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".yaml" || base == "values.yaml":
		case !strings.Contains(readme, base) && (dir == "" || !strings.Contains(readme, dir+"*.yaml")) && !strings.Contains(readme, path.Base(dir)+"/*.yaml"):
			t.Errorf("the README does not name %s", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// columns are the names in the yaml tags of package load.
func columns(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("load/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			tag, _ := strconv.Unquote(field.Tag.Value)
			column, _, _ := strings.Cut(reflect.StructTag(tag).Get("yaml"), ",")
			if column != "" && column != "-" && column != "table" {
				out = append(out, column)
			}
			return true
		})
	}
	return out
}
