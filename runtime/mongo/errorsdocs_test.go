package mongo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/mongo"
)

// TestDocumentationOfErrorsListsWhatTheyHold reads the comments of the error types, which are aliases: go doc shows one line
// for an alias, so that the comment is all that a reader sees of the fields and methods.
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
