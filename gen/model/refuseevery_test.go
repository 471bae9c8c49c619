package model

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryRefusalIsTested looks for the text of each problem that the model can report among the texts that tests expect:
// in this package, and in the stderr.txt of the emitters' broken tables.
func TestEveryRefusalIsTested(t *testing.T) {
	expected := expectedTexts(t)
	verbs := regexp.MustCompile(`%[#0-9]*[a-zA-Z]`)
	for at, format := range refusals(t) {
		var pattern strings.Builder
		rest := format
		for _, verb := range verbs.FindAllStringIndex(format, -1) {
			done := len(format) - len(rest)
			pattern.WriteString(regexp.QuoteMeta(format[done:verb[0]]) + ".*")
			rest = format[verb[1]:]
		}
		pattern.WriteString(regexp.QuoteMeta(rest))
		if !regexp.MustCompile(pattern.String()).MatchString(expected) {
			t.Errorf("%s: no test makes the mistake that is reported as %q", at, format)
		}
	}
}

// refusals returns the format of each problem that the model can report, by the position of the call.
func refusals(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			place, ok := map[string]int{"Problemf": 1, "add": 3}[calledName(call)]
			if !ok || len(call.Args) <= place {
				return true
			}
			if text, ok := literal(call.Args[place]); ok {
				out[fset.Position(call.Pos()).String()] = text
			}
			return true
		})
	}
	if len(out) < 200 {
		t.Fatalf("only %d refusals were found", len(out))
	}
	return out
}

func calledName(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// expectedTexts returns all literals of this package's tests, and the problems that the emitters' tests expect of broken
// tables, one per line.
func expectedTexts(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	tests, _ := filepath.Glob("*_test.go")
	for _, name := range tests {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if text, ok := literal(e); ok {
					out.WriteString(text + "\n")
				}
			}
			return true
		})
	}
	outputs, _ := filepath.Glob("../emit/testdata/*/*/stderr.txt")
	for _, name := range outputs {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
	}
	return out.String()
}
