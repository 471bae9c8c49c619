package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestCodeProblems(t *testing.T) {
	names, err := namedCodes(writeTree(t, map[string]string{
		"generated/errcode/code.go": "package errcode\n\ntype Code int32\n\nconst (\n\tBadValue Code = 2\n\tTypeMismatch Code = 14\n)\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	const source = `package agg

func named() error { return status.Errorf(14, "a type") }
func right() error { return status.Errorf(errcode.TypeMismatch, "a type") }
func without() error { return status.Errorf(40242, "a number without a name") }
func other() error { return fault.Errorf(14, "another package") }
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "agg.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(codeProblems(fset, f, names), "\n"), "agg.go:3:43: 14 is errcode.TypeMismatch"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
