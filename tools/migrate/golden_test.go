package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestGolden rewrites the modules in testdata, compares each file and the report with what is expected, and compiles
// the result against the driver: the report must name every line that does not compile.
func TestGolden(t *testing.T) {
	for _, version := range goldenModules {
		t.Run(version, func(t *testing.T) {
			m := loadModule(t, version)
			want := filepath.Join("testdata", version+"want")
			for _, f := range m.files {
				compareGolden(t, filepath.Join(want, filepath.Base(f.path)+".txt"), m.after[f])
			}
			var b bytes.Buffer
			report(&b, filepath.Join("testdata", version), m.leaves)
			compareGolden(t, filepath.Join(want, "report.txt"), b.Bytes())
			checkCompiles(t, want, m.leaves)
		})
	}
}

var goldenModules = []string{"bsonx", "containers", "encryption", "mtest", "moving", "names", "v1", "v2"}

// A goldenModule is a module in testdata, rewritten.
type goldenModule struct {
	files  []*file
	after  map[*file][]byte
	leaves []leave
	err    error
}

// rewrites makes each module's result when a test first asks for it.
var rewrites = func() map[string]func() *goldenModule {
	all := map[string]func() *goldenModule{}
	for _, name := range goldenModules {
		all[name] = sync.OnceValue(func() *goldenModule { return rewriteModule(name) })
	}
	return all
}()

func loadModule(t *testing.T, name string) *goldenModule {
	t.Helper()
	m := rewrites[name]()
	if m.err != nil {
		t.Fatal(m.err)
	}
	return m
}

func rewriteModule(name string) *goldenModule {
	m := &goldenModule{after: map[*file][]byte{}}
	s := settings{dir: filepath.Join("testdata", name), patterns: []string{"./..."}}
	loaded, _, leaves, err := loadAll(context.Background(), s)
	if err != nil {
		return &goldenModule{err: err}
	}
	if m.files, err = filesOf(loaded, name == "containers" || name == "mtest"); err != nil {
		return &goldenModule{err: err}
	}
	m.leaves = leaves
	for _, f := range m.files {
		if m.after[f], err = f.rewrite(); err != nil {
			return &goldenModule{err: fmt.Errorf("%s: %w\n%s", f.path, err, f.textBetween(f.tree.FileStart, f.tree.FileEnd))}
		}
		m.leaves = append(m.leaves, f.leaves...)
	}
	return m
}

// TestGoldenIdioms counts the idioms that the golden modules hold: each of their functions is one.
func TestGoldenIdioms(t *testing.T) {
	idioms := 0
	for _, module := range goldenModules {
		paths, _ := filepath.Glob(filepath.Join("testdata", module, "*.go"))
		for _, path := range paths {
			tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tree.Decls {
				if _, ok := d.(*ast.FuncDecl); ok {
					idioms++
				}
			}
		}
	}
	if idioms < 120 {
		t.Errorf("%d idioms, want 120", idioms)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%d idioms", idioms); !strings.Contains(string(readme), text) {
		t.Errorf("README.md does not speak of %s", text)
	}
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", path, diff(path, want, got, false))
	}
}

// checkCompiles builds the expected files against the driver's source.
func checkCompiles(t *testing.T, dir string, leaves []leave) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go.txt"))
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tmp, strings.TrimSuffix(filepath.Base(path), ".txt")), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod := "module example.com/shop\n\ngo 1.26.0\n\nrequire github.com/specdrivers/onion v0.0.0\n\n" +
		"replace github.com/specdrivers/onion => " + root + "\n"
	if stub, err := filepath.Abs(filepath.Join("testdata", "moving", "stub")); err == nil && filepath.Base(dir) == "movingwant" {
		mod += "\nrequire github.com/stretchr/testify v1.11.1\n\nreplace github.com/stretchr/testify => " + stub + "\n"
	}
	if err := os.WriteFile(filepath.Join(tmp, "go.mod"), []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "go.sum"), sum, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-mod=mod", "-gcflags=-e", "./...")
	cmd.Dir = tmp
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "./") && !isReported(line, leaves) {
			t.Errorf("does not compile, and the report does not say so: %s", line)
		}
	}
	if !strings.Contains(string(out), "./") {
		t.Errorf("%v\n%s", err, out)
	}
}

// isReported reports whether the report speaks of the file of a compiler's error and of the name in it.
func isReported(line string, leaves []leave) bool {
	file, _, _ := strings.Cut(strings.TrimPrefix(line, "./"), ":")
	for _, l := range leaves {
		if filepath.Base(l.at.Filename) != file {
			continue
		}
		for _, word := range strings.FieldsFunc(l.what, func(r rune) bool { return strings.ContainsRune(" .:,()*", r) }) {
			if len(word) > 3 && !common[word] && strings.Contains(line, word) {
				return true
			}
		}
	}
	return false
}

// common are words that many lines of a compiler's output or a report contain.
var common = map[string]bool{
	"mongo": true, "bson": true, "options": true, "errors": true, "error": true, "type": true, "field": true, "value": true, "string": true,
	"context": true, "here": true, "struct": true, "bool": true, "func": true, "Codecs": true,
}

// TestRunInterrupted rewrites no further file once the context ends, and says how many are left.
func TestRunInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "names"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out, log bytes.Buffer
	// The first line about a file comes when the packages are read.
	progress := writer(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte("1 of 2")) {
			cancel()
		}
		return len(p), nil
	})
	if err := run(ctx, &out, &log, settings{dir: dir, patterns: []string{"./..."}, write: true, progress: progress}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"interrupted: the last 1 of 2 files are as they were", "1 of 2 files"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &log)
		}
	}
	for name, rewritten := range map[string]bool{"shop.go": true, "store.go": false} {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), "specdrivers") != rewritten {
			t.Errorf("%s: rewritten is not %v", name, rewritten)
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
