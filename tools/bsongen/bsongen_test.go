package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newScratchModule makes a module that requires this one, as a user's does, and copies testdata/scratch into it.
func newScratchModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "scratch"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "plain"), os.DirFS(filepath.Join("testdata", "scratch", "shop"))); err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/scratch\n\ngo 1.26\n\nrequire github.com/specdrivers/onion v0.0.0\n\n" +
		"replace github.com/specdrivers/onion => " + root + "\n"
	write(t, dir, "go.mod", mod)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", string(sum))
	plain := filepath.Join(dir, "plain", "shop.go")
	source, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, filepath.Join("plain", "shop.go"), strings.Replace(string(source), "package shop\n", "package plain\n", 1))
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// goCommand runs the go command in another module. It takes no flag that changes how packages are compiled, such as -trimpath:
// the standard library and the driver would be compiled once more.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestScratchModule runs go generate in another module, and the tests there, which compare the result with reflection.
func TestScratchModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	dir := newScratchModule(t)
	goCommand(t, dir, "generate", "./shop")
	vet := "-vet=off"
	if os.Getenv("ONION_SIZES") == "full" {
		vet = "-vet=" // the checks that every go test runs, for which it looks at all that bson imports
	}
	goCommand(t, dir, "test", vet, "./...")
	first, err := os.ReadFile(filepath.Join(dir, "shop", "shop_bson.go"))
	if err != nil {
		t.Fatal(err)
	}
	goCommand(t, dir, "generate", "./shop")
	second, err := os.ReadFile(filepath.Join(dir, "shop", "shop_bson.go"))
	if err != nil || string(first) != string(second) {
		t.Errorf("generating again changes the output: %v", err)
	}
}

// TestREADMELines types the lines of README.md in a user's module: the comment for go generate, and the one for CI.
func TestREADMELines(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	comment, rest, _ := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "In CI")
	_, rest, _ = strings.Cut(rest, "```\n")
	line, _, ok := strings.Cut(rest, "\n```")
	if !ok || !strings.HasPrefix(comment, "//go:generate ") || !strings.HasPrefix(line, "go run ") {
		t.Fatalf("the README's lines are %q and %q", comment, line)
	}
	dir := newScratchModule(t)
	write(t, dir, "order.go", "package scratch\n\n"+comment+"\ntype Order struct{ Items []Item }\n\ntype Invoice struct{ Order Order }\n\ntype Item struct{ N int }\n")
	goCommand(t, dir, "generate", ".")
	source, err := os.ReadFile(filepath.Join(dir, "order_bson.go"))
	if err != nil || !strings.Contains(string(source), "func (v *Item) DecodeBSON(") {
		t.Errorf("go generate wrote no methods for Item, %v:\n%s", err, source)
	}
	goCommand(t, dir, strings.Fields(line)[1:]...)
	write(t, dir, "order.go", "package scratch\n\ntype Order struct{ N int }\n\ntype Invoice struct{ Order Order }\n")
	cmd := exec.Command("go", strings.Fields(line)[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "order_bson.go:") {
		t.Errorf("the file is old and the line for CI says %q, %v", out, err)
	}
}

// The program depends on the standard library alone, which keeps "go run" quick in a user's module.
func TestDependsOnTheStandardLibraryAlone(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil || strings.TrimSpace(string(out)) != "github.com/specdrivers/onion/tools/bsongen" {
		t.Errorf("it imports %s, %v", out, err)
	}
}

// TestSaysWhatItIsDoing shows the progress that a person at a terminal sees.
func TestSaysWhatItIsDoing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module p\n\ngo 1.26\n")
	write(t, dir, "p.go", "package p\n\ntype T struct{ A int }\n")
	var shown strings.Builder
	s := settings{dir: dir, names: []string{"T"}, output: "t_bson.go", progress: &shown}
	if _, err := s.generate(); err != nil || !strings.Contains(shown.String(), "bsongen: ") {
		t.Errorf("it says %q, %v", &shown, err)
	}
	if terminalOf(&shown) != io.Discard {
		t.Error("what is no terminal is told the progress")
	}
}

func TestRejects(t *testing.T) {
	tests := []struct{ name, source, types, want string }{
		{"unknown type", "type T struct{}", "U", "package p has no type U"},
		{"not a struct", "type T int", "T", "type T is not a struct"},
		{"no type", "type T struct{}", "", "-type names no struct"},
		{"duplicate name", "type T struct { A int `bson:\"x\"`; B int `bson:\"x\"` }", "T", `struct T: two fields are named "x"`},
		{"inlined list", "type T struct { M []int `bson:\",inline\"` }", "T", "only structs, pointers to structs and maps"},
		{"inlined map of numbers", "type T struct { M map[int]int `bson:\",inline\"` }", "T", "must be strings"},
		{"two inlined maps", "type M map[string]int; type T struct { A, B M `bson:\",inline\"` }", "T", "more than one inlined map"},
		{"inlined into itself", "type T struct { *T `bson:\",inline\"` }", "T", "inlined into itself"},
		{"zero byte in a name", "type T struct { A int \"a\\x00\" }", "T", "zero byte"},
		{"unknown option in a tag", "type T struct { A int `bson:\"a,omitemtpy\"` }", "T", `field A has the unknown option "omitemtpy"`},
		{"type that does not compile", "type T struct { A Missing }", "T", "the type of field A does not compile"},
		{"syntax error", "type T struct {", "T", "expected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "go.mod", "module p\n\ngo 1.26\n")
			write(t, dir, "p.go", "package p\n\n"+tt.source+"\n")
			err := run([]string{"-dir", dir, "-type", tt.types}, os.Stderr)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestJSONTags(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module p\n\ngo 1.26\n")
	write(t, dir, "p.go", "package p\n\ntype T struct {\n\tA int `json:\"alpha,omitempty,string\"`\n\tB int `json:\"x\" bson:\"beta\"`\n\tC int `json:\"-\"`\n}\n")
	for _, test := range []struct {
		args      []string
		has, lack []string
	}{
		{nil, []string{`Names: []string{"a", "beta", "c"}`}, []string{`"alpha"`, "JSONTags"}},
		{[]string{"-json"}, []string{`Names: []string{"alpha", "beta"}`, "if v.A != 0", "JSONTags: true"}, []string{`"c"`, `"x"`}},
	} {
		if err := run(append([]string{"-dir", dir, "-type", "T"}, test.args...), os.Stderr); err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(filepath.Join(dir, "t_bson.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.has {
			if !strings.Contains(string(source), want) {
				t.Errorf("%v: the output lacks %s:\n%s", test.args, want, source)
			}
		}
		for _, not := range test.lack {
			if strings.Contains(string(source), not) {
				t.Errorf("%v: the output has %s", test.args, not)
			}
		}
	}
}

func TestCheckFindsWhatIsOld(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module p\n\ngo 1.26\n")
	write(t, dir, "p.go", "package p\n\ntype T struct{ A int }\n")
	args := []string{"-dir", dir, "-type", "T"}
	if err := run(append(args, "-check"), io.Discard); err == nil || !strings.Contains(err.Error(), "t_bson.go") {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := run(args, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := run(append(args, "-check"), io.Discard); err != nil {
		t.Errorf("a file that is new: %v", err)
	}
	write(t, dir, "p.go", "package p\n\ntype T struct{ A, B int }\n")
	before, err := os.ReadFile(filepath.Join(dir, "t_bson.go"))
	if err != nil {
		t.Fatal(err)
	}
	err = run(append(args, "-check"), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "t_bson.go:") || !strings.Contains(err.Error(), "run go generate") {
		t.Errorf("a file that is old: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "t_bson.go")); err != nil || string(after) != string(before) {
		t.Errorf("-check has written: %v", err)
	}
}

// The methods of a struct are there whenever the struct is.
func TestBuildConstraintsAreKept(t *testing.T) {
	files := map[string]string{
		"p.go":     "package p\n\ntype T struct{ A int }\n",
		"full.go":  "// Copyright\n\n//go:build full && !small\n\npackage p\n\ntype Full struct{ T; B int }\n",
		"small.go": "//go:build !full\n\npackage p\n\ntype Full struct{ A string }\n",
		"other.go": "//go:build full\n\npackage p\n\ntype Other struct{ F Full }\n",
	}
	for _, c := range []struct{ name, types, tags, want, lacks string }{
		{"none", "T", "", "package p\n", "//go:build"},
		{"of the default", "Full", "", "//go:build !full\n\npackage p", "v.B"},
		{"of another file", "Full", "full", "//go:build full && !small\n\npackage p", ""},
		{"of two files", "Other", "full", "//go:build full && full && !small\n\npackage p", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "go.mod", "module p\n\ngo 1.26\n")
			for name, text := range files {
				write(t, dir, name, text)
			}
			if err := run([]string{"-dir", dir, "-type", c.types, "-tags", c.tags, "-output", "out.go"}, io.Discard); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(dir, "out.go"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.want) || c.lacks != "" && strings.Contains(string(data), c.lacks) {
				t.Errorf("%s", data)
			}
		})
	}
}

func TestTheREADMENamesEveryFlag(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var usage strings.Builder
	if err := run([]string{"-h"}, &usage); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for line := range strings.Lines(usage.String()) {
		if name, ok := strings.CutPrefix(line, "  -"); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			if !strings.Contains(string(readme), "`-"+name) {
				t.Errorf("the README does not name -%s", name)
			}
		}
	}
}
