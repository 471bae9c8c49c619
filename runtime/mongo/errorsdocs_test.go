package mongo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/mongo"
)

// TestDocumentationOfErrorsListsWhatTheyHold reads the comments of the error types, which are aliases: go doc shows one line
// for an alias, so the comment is all that a reader sees of the fields and methods.
func TestDocumentationOfErrorsListsWhatTheyHold(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSpec); ok {
			comments[s.Name.Name] = strings.Join(strings.Fields(s.Doc.Text()), " ")
		}
		return true
	})
	for _, e := range []error{
		mongo.CommandError{}, mongo.WriteError{}, mongo.WriteConcernError{}, mongo.WriteException{}, mongo.BulkWriteError{},
		mongo.BulkWriteException{}, mongo.ClientBulkWriteException{}, mongo.NetworkError{}, mongo.ServerSelectionError{}, mongo.AuthError{},
		mongo.TimeoutError{}, mongo.WaitQueueTimeoutError{},
	} {
		kind := reflect.TypeOf(e)
		var names []string
		for field := range kind.Fields() {
			if field.IsExported() {
				names = append(names, field.Name)
			}
		}
		for method := range kind.Methods() {
			if !slices.Contains([]string{"Error", "As", "Is", "Unwrap"}, method.Name) {
				names = append(names, method.Name)
			}
		}
		for _, name := range names {
			if !strings.Contains(comments[kind.Name()], name) {
				t.Errorf("the comment of %s does not name %s; it has %s", kind.Name(), name, strings.Join(names, ", "))
				break
			}
		}
	}
}

// TestDocumentationOfAliasesListsTheirFields does the same for every alias of a struct: models, results, events, files.
func TestDocumentationOfAliasesListsTheirFields(t *testing.T) {
	fields := map[string][]string{}
	for name, dir := range map[string]string{"options": "../../generated/options", "fault": "../fault"} {
		eachType(t, dir, func(s *ast.TypeSpec, _ string) {
			if kind, ok := s.Type.(*ast.StructType); ok {
				for _, field := range kind.Fields.List {
					for _, id := range field.Names {
						if id.IsExported() {
							fields[name+"."+s.Name.Name] = append(fields[name+"."+s.Name.Name], id.Name)
						}
					}
				}
			}
		})
	}
	aliases := 0
	eachType(t, ".", func(s *ast.TypeSpec, comment string) {
		of, ok := s.Type.(*ast.SelectorExpr)
		if !ok || !s.Assign.IsValid() {
			return
		}
		aliases++
		words := strings.FieldsFunc(comment, func(r rune) bool { return strings.ContainsRune(" \n,.", r) })
		names := fields[of.X.(*ast.Ident).Name+"."+of.Sel.Name]
		for _, name := range names {
			if !slices.Contains(words, name) {
				t.Errorf("the comment of %s does not name %s; it has %s", s.Name.Name, name, strings.Join(names, ", "))
				break
			}
		}
	})
	if aliases < 50 {
		t.Errorf("%d aliases", aliases)
	}
}

// eachType calls f with the exported types of a folder and their comments.
func eachType(t *testing.T, dir string, f func(s *ast.TypeSpec, comment string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				if s := spec.(*ast.TypeSpec); s.Name.IsExported() {
					f(s, group.Doc.Text()+s.Doc.Text())
				}
			}
		}
	}
}
