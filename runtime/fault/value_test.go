package fault_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// These are the error types of the package. asForms checks each.
var forms = map[string]func(t *testing.T){
	"AuthError":                func(t *testing.T) { asForms(t, fault.AuthError{Err: errors.New("x")}) },
	"BulkWriteError":           func(t *testing.T) { asForms(t, fault.BulkWriteError{}) },
	"BulkWriteException":       func(t *testing.T) { asForms(t, fault.BulkWriteException{}) },
	"CallbackError":            func(t *testing.T) { asForms(t, fault.CallbackError{}) },
	"ClientBulkWriteException": func(t *testing.T) { asForms(t, fault.ClientBulkWriteException{}) },
	"CommandError":             func(t *testing.T) { asForms(t, fault.CommandError{}) },
	"CommandTooLargeError":     func(t *testing.T) { asForms(t, fault.CommandTooLargeError{}) },
	"DocumentTooLargeError":    func(t *testing.T) { asForms(t, fault.DocumentTooLargeError{}) },
	"EncryptionError":          func(t *testing.T) { asForms(t, fault.EncryptionError{Err: errors.New("x")}) },
	"ErrMapForOrderedArgument": func(t *testing.T) { asForms(t, fault.ErrMapForOrderedArgument{}) },
	"NetworkError":             func(t *testing.T) { asForms(t, fault.NetworkError{}) },
	"TimeoutError":             func(t *testing.T) { asForms(t, fault.TimeoutError{}) },
	"OptionError":              func(t *testing.T) { asForms(t, fault.OptionError{}) },
	"PoolClearedError":         func(t *testing.T) { asForms(t, fault.PoolClearedError{}) },
	"PoolClosedError":          func(t *testing.T) { asForms(t, fault.PoolClosedError{}) },
	"ServerSelectionError":     func(t *testing.T) { asForms(t, fault.ServerSelectionError{}) },
	"URIError":                 func(t *testing.T) { asForms(t, fault.URIError{}) },
	"UnsupportedOptionError":   func(t *testing.T) { asForms(t, fault.UnsupportedOptionError{}) },
	"WaitQueueTimeoutError":    func(t *testing.T) { asForms(t, fault.WaitQueueTimeoutError{}) },
	"WriteConcernError":        func(t *testing.T) { asForms(t, fault.WriteConcernError{}) },
	"WriteError":               func(t *testing.T) { asForms(t, fault.WriteError{}) },
	"WriteErrors":              func(t *testing.T) { asForms(t, fault.WriteErrors{}) },
	"WriteException":           func(t *testing.T) { asForms(t, fault.WriteException{}) },
}

// A program may ask for an error's type or for a pointer to it. Both work, whether the driver returned a value or a
// pointer.
func TestErrorsAreFoundInEveryForm(t *testing.T) {
	for name, check := range forms {
		t.Run(name, check)
	}
	for _, name := range errorTypes(t) {
		if forms[name] == nil {
			t.Errorf("%s has no row in this test", name)
		}
	}
}

func asForms[E error](t *testing.T, e E) {
	pointer, ok := any(&e).(error)
	if !ok {
		t.Fatalf("%T is no error", &e)
	}
	for _, returned := range []error{e, pointer} {
		err := fmt.Errorf("wrapped: %w", returned)
		var value E
		var p *E
		if !errors.As(err, &value) {
			t.Errorf("errors.As(%T) does not fill a %T", returned, value)
		}
		if !errors.As(err, any(&p)) || p == nil {
			t.Errorf("errors.As(%T) does not fill a %T", returned, p)
		}
		if _, ok := errors.AsType[E](err); !ok {
			t.Errorf("errors.AsType(%T) does not return a %T", returned, value)
		}
	}
	if errors.As(error(e), new(*fs.PathError)) {
		t.Errorf("a %T fills a foreign type", e)
	}
}

// errorTypes lists the exported types of the package that have a method Error, and the alias to a generated one.
func errorTypes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"UnsupportedOptionError"}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "Error" {
				continue
			}
			receiver, ok := fn.Recv.List[0].Type.(*ast.Ident)
			if ok && receiver.IsExported() {
				list = append(list, receiver.Name)
			}
		}
	}
	return list
}

// Functions return errors as values. A pointer would slip past a type switch on the value.
func TestNoPointersToErrorsInTheRepository(t *testing.T) {
	names := strings.Join(errorTypes(t), "|")
	pointer := regexp.MustCompile(`(&fault\.(` + names + `)\{|AsType\[\*fault\.|case \*fault\.|\.\(\*fault\.)`)
	concern := regexp.MustCompile(`&fault\.WriteConcernError\{`) // the type of a field
	for _, root := range []string{"..", "../../tools"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			if path == filepath.Join("..", "fault", "value_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if found := pointer.Find(concern.ReplaceAll(text, nil)); found != nil {
				t.Errorf("%s: %s", path, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrorCodesLookInside(t *testing.T) {
	concern := &fault.WriteConcernError{Code: 64, Message: "waiting for replication"}
	tests := []struct {
		name string
		err  error
		want []errcode.Code
	}{
		{"nil", nil, nil},
		{"foreign", errors.New("x"), nil},
		{"command", fault.CommandError{Code: 13}, []errcode.Code{13}},
		{"pointer", &fault.CommandError{Code: 13}, []errcode.Code{13}},
		{"write", fault.WriteException{WriteErrors: fault.WriteErrors{{Code: 11000}}, WriteConcernError: concern},
			[]errcode.Code{11000, 64}},
		{"bulk", fmt.Errorf("x: %w", fault.BulkWriteException{
			WriteErrors: []fault.BulkWriteError{
				{WriteError: fault.WriteError{Code: 121}}, {WriteError: fault.WriteError{Code: 11000}},
				{WriteError: fault.WriteError{Code: 121}},
			},
			WriteConcernError: concern, Err: fault.CommandError{Code: 91}}),
			[]errcode.Code{121, 11000, 64, 91}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fault.ErrorCodes(tt.err); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("ErrorCodes() = %d, want %d", got, tt.want)
			}
			for _, code := range tt.want {
				if !fault.HasErrorCode(tt.err, code) {
					t.Errorf("HasErrorCode(%d) is false", code)
				}
			}
			if fault.HasErrorCode(tt.err, 1) {
				t.Error("HasErrorCode(1) is true")
			}
		})
	}
	var server fault.ServerError
	if !errors.As(tests[5].err, &server) || !server.HasErrorCodeWithMessage(64, "replication") ||
		server.HasErrorCodeWithMessage(11000, "replication") || !server.HasErrorMessage("waiting") {
		t.Error("ServerError does not look at every error of a bulk write")
	}
}

func TestMisuseIsFoundByItsSentinel(t *testing.T) {
	err := fault.Misuse(fault.ErrNilDocument, "the %s is nil", "filter")
	if !errors.Is(err, fault.ErrNilDocument) || err.Error() != "mongo: the filter is nil" {
		t.Errorf("%v", err)
	}
	if errors.Is(err, fault.ErrEmptySlice) {
		t.Error("one mistake is found as another")
	}
}
