package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// TestNoTabulatedLiteral checks that hand-written code takes from the generated packages what a table holds: error codes,
// labels, log messages, texts and names of URI options. What generated suites call is left out: it reads test files, which
// name these things themselves.
func TestNoTabulatedLiteral(t *testing.T) {
	facts := tabulated(t)
	for _, dir := range []string{"../runtime", "../bson"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || filepath.ToSlash(name) == "../runtime/mongotest/suite"):
				return fs.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, problem := range facts.literals(fset, f) {
				t.Error(problem)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestLiteralsAreFound(t *testing.T) {
	const source = `package p

import "log"

func f(code int, r reply) {
	if code == 189 || r.Code != 26 {
		log.Print("Command started")
	}
	switch r.code {
	case 11000:
	}
	_ = failure{Code: 91, Count: 91}
	_ = errcode.Code(50)
	r.errorCode = 59
	count := 189
	set("serverSelectionTimeoutMS")
	if hasLabel("RetryableWriteError") {}
	_ = count
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(tabulated(t).literals(fset, f), "\n")
	want := `p.go:6:13: 189 is errcode.PrimarySteppedDown
p.go:6:30: 26 is errcode.NamespaceNotFound
p.go:7:13: "Command started" is a log message
p.go:10:7: 11000 is errcode.DuplicateKey
p.go:12:20: 91 is errcode.ShutdownInProgress
p.go:13:19: 50 is errcode.MaxTimeMSExpired
p.go:14:16: 59 is errcode.CommandNotFound
p.go:16:6: "serverSelectionTimeoutMS" is a URI option
p.go:17:14: "RetryableWriteError" is an error label`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// facts are the literals that tables hold, with what they are.
type facts struct {
	codes map[int64]string
	texts map[string]string
}

// alsoCommandFields are URI options whose name is at the same time a field of commands, replies or documents, where
// hand-written code may have to name it.
var alsoCommandFields = []string{
	"w", "journal", "appName", "compressors", "loadBalanced", "maxStalenessSeconds", "timeoutMS", "wtimeout",
}

func tabulated(t *testing.T) facts {
	t.Helper()
	tables := load.NewTables(os.DirFS("../specs"))
	out := facts{codes: map[int64]string{}, texts: map[string]string{}}
	errorTables := model.NewErrors(tables)
	for _, c := range errorTables.Codes {
		out.codes[int64(c.Code)] = "errcode." + c.Name
	}
	for _, l := range errorTables.Labels {
		out.texts[l.Name] = "an error label"
	}
	for _, m := range tables.LogMessages().Rows {
		out.texts[m.Message] = "a log message"
		out.texts[m.Template] = "a log template"
	}
	for _, file := range []string{"server", "pool", "transactions", "retry"} {
		for _, m := range tables.Messages(file + "/messages.yaml").Rows {
			out.texts[m.Text] = "a text of specs/" + file + "/messages.yaml"
		}
	}
	for _, o := range tables.URI().Rows {
		if !slices.Contains(alsoCommandFields, o.Name) {
			out.texts[o.Name] = "a URI option"
		}
	}
	if problems := tables.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return out
}

// literals finds literals of a file that a table holds. A number counts where it meets something called code.
func (f facts) literals(fset *token.FileSet, file *ast.File) []string {
	var out []string
	number := func(e ast.Expr) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.INT {
			return
		}
		if n, err := strconv.ParseInt(lit.Value, 0, 64); err == nil && f.codes[n] != "" {
			out = append(out, fmt.Sprintf("%s: %s is %s", fset.Position(lit.Pos()), lit.Value, f.codes[n]))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return n.Tag == nil
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && f.texts[s] != "" {
				out = append(out, fmt.Sprintf("%s: %s is %s", fset.Position(n.Pos()), n.Value, f.texts[s]))
			}
		case *ast.BinaryExpr:
			if isCode(n.X) {
				number(n.Y)
			}
			if isCode(n.Y) {
				number(n.X)
			}
		case *ast.KeyValueExpr:
			if isCode(n.Key) {
				number(n.Value)
			}
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				if isCode(n.Lhs[i]) {
					number(n.Rhs[i])
				}
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && isCode(s) && len(n.Args) == 1 {
				number(n.Args[0])
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && isCode(n.Tag) {
				for _, clause := range n.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						number(e)
					}
				}
			}
		}
		return true
	})
	return out
}

// isCode reports whether an expression is called code. Opcodes, status codes of HTTP and exit codes are others.
func isCode(e ast.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	case *ast.CallExpr:
		return len(e.Args) == 1 && isCode(e.Args[0])
	}
	name = strings.ToLower(name)
	return name == "code" || name == "errorcode" || name == "errcode"
}
