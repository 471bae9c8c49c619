package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// syncTests checks that every prose test names Go tests that exist, or says why there is none, and only one of these.
func (s *session) syncTests(stdout io.Writer) (behind bool, err error) {
	f, err := s.table(proseTable)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	tests, err := s.code.tests()
	if err != nil {
		return false, err
	}
	for _, n := range column(f.root, "rows").Content {
		problem := answerProblem(n, "test")
		if problem == "" && column(n, "pending") != nil {
			problem = "it is pending: name the Go test that does it, or say why there is none"
		}
		for _, name := range names(column(n, "test")) {
			if !tests[name] {
				problem = fmt.Sprintf("there is no Go test %s", name)
			}
		}
		if problem != "" {
			fmt.Fprintf(stdout, "error specs/%s:%d %s: %s\n", proseTable, n.Line, keyOf(n, "document+section+number"), problem)
			behind = true
		}
	}
	return behind, nil
}

// syncMethods checks that every method of upstream names one of package mongo that exists, or says why there is none.
func (s *session) syncMethods(stdout io.Writer) (behind bool, err error) {
	f, err := s.table(methodTable)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	ours, err := s.code.declared()
	if err != nil {
		return false, err
	}
	for _, n := range column(f.root, "rows").Content {
		problem := answerProblem(n, "go")
		if method := column(n, "go"); problem == "" && method != nil && !ours[method.Value] {
			problem = "package mongo has no " + method.Value
		}
		if problem != "" {
			fmt.Fprintf(stdout, "error specs/%s:%d %s: %s\n", methodTable, n.Line, keyOf(n, "document+declaration+method"), problem)
			behind = true
		}
	}
	return behind, nil
}

// goMethods lists the exported functions of a folder as Name, and its methods as Type.Name.
func goMethods(folder string) (map[string]bool, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, name := range names {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range parsed.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || strings.HasSuffix(name, "_test.go") {
				continue
			}
			if fn.Recv == nil {
				out[fn.Name.Name] = true
				continue
			}
			receiver := fn.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if id, ok := receiver.(*ast.Ident); ok {
				out[id.Name+"."+fn.Name.Name] = true
			}
		}
	}
	return out, nil
}

// answerProblem says what is wrong with a row, empty for nothing. A row names something of ours, or says why there is nothing, or
// why there is nothing yet.
func answerProblem(n *yaml.Node, named string) string {
	given := 0
	for _, name := range []string{named, "none", "pending"} {
		if column(n, name) != nil {
			given++
		}
	}
	if given != 1 {
		return fmt.Sprintf("it needs exactly one of %s, none and pending", named)
	}
	return ""
}

// names returns the texts of a column that holds one text or a list of them.
func names(n *yaml.Node) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	var out []string
	for _, m := range n.Content {
		out = append(out, m.Value)
	}
	return out
}

// goTests lists the tests below a module's root as "folder.TestName". Generated suites are compiled from files, not from
// prose, and are left out.
func goTests(root string) (map[string]bool, error) {
	out := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || name == "generated/upstream" || name == "generated/conformance" ||
			strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		for line := range bytes.Lines(data) {
			if !bytes.HasPrefix(line, []byte("func Test")) {
				continue
			}
			if m := testFunction.FindSubmatch(line); m != nil {
				out[path.Dir(name)+"."+string(m[1])] = true
			}
		}
		return err
	})
	return out, err
}

// testFunction is the line that opens a test in a formatted file.
var testFunction = regexp.MustCompile(`^func (Test\w*)\(t \*testing\.T\) \{`)
