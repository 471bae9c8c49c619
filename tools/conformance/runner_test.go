package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite"
)

// writeModule writes a module of its own, so go test runs what the cases here need and nothing else.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files["go.mod"] = "module " + emit.Module + "\n\ngo 1.26.0\n"
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func newCases(pkg string, funcs ...string) []*suite.Case {
	file := &suite.File{Suite: "s", Path: "s/f.json"}
	var out []*suite.Case
	for _, f := range funcs {
		out = append(out, &suite.Case{File: file, Name: f, Package: pkg, Func: f})
	}
	return out
}

func TestRunSettlesEveryCase(t *testing.T) {
	root := writeModule(t, map[string]string{
		"generated/upstream/s/good/a_test.go": `//go:build upstream

package good_test

import "testing"

func TestPasses(t *testing.T)     {}
func TestFails(t *testing.T)      { t.Error("two is not one") }
func TestPanics(t *testing.T)     { panic("at the disco") }
func TestAfterPanic(t *testing.T) {}
func TestExits(t *testing.T)      { t.Skip("not today") }
func TestNowhere(t *testing.T)    { t.Skip("skipped for its requirements: there is none") }
`,
		"generated/upstream/s/broken/a_test.go": "//go:build upstream\n\npackage broken_test\n\nvar x = undefined\n",
		"generated/upstream/s/partly/a_test.go": "//go:build upstream\n\npackage partly_test\n\nimport \"testing\"\n\nfunc TestC(t *testing.T) { t.Undefined() }\n",
		"generated/upstream/s/partly/b_test.go": "//go:build upstream\n\npackage partly_test\n\nimport \"testing\"\n\nfunc TestD(t *testing.T) {}\n",
	})
	compiled := &suite.Result{Cases: append(
		newCases("generated/upstream/s/good", "TestPasses", "TestFails", "TestPanics", "TestAfterPanic", "TestExits", "TestNowhere"),
		newCases("generated/upstream/s/broken", "TestA", "TestB")...)}
	compiled.Cases = append(compiled.Cases, newCases("generated/upstream/s/partly", "TestC", "TestD")...)
	compiled.Cases = append(compiled.Cases,
		&suite.Case{File: compiled.Cases[0].File, Name: "judged", Judged: true},
		&suite.Case{File: compiled.Cases[0].File, Name: "skipped", Skip: "because"},
		&suite.Case{File: compiled.Cases[0].File, Name: "pending", Problems: []load.Problem{{Text: suite.NotCompiledYet}}})
	results := judge(compiled)
	r := &runner{root: root, log: &bytes.Buffer{}, results: results}
	if err := r.run(t.Context(), compiled); err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		passed  bool
		message string
	}{
		"TestPasses": {true, ""}, "TestAfterPanic": {true, ""}, "judged": {true, ""},
		"TestFails": {false, "a_test.go:8: two is not one"}, "TestPanics": {false, "at the disco"},
		"TestExits": {false, "skipped itself"}, "TestA": {false, "undefined"}, "TestB": {false, "does not build"},
		"TestC": {false, "a_test.go:7"}, "TestD": {true, ""},
		"pending": {false, suite.NotCompiledYet},
	}
	for _, c := range compiled.Cases {
		w, o := want[c.Name], results[c]
		if c.Skip == "" && (!o.done || o.passed != w.passed || !bytes.Contains([]byte(o.message), []byte(w.message))) {
			t.Errorf("%s: done %v, passed %v, message %q; want passed %v, message %q", c.Name, o.done, o.passed, o.message, w.passed, w.message)
		}
	}
	report := newReport(compiled, results, r.elapsed)
	if n := report.Totals; n != (counts{Files: 3, Cases: 13, Passed: 4, Failed: 7, Skipped: 2}) {
		t.Errorf("totals %+v", n)
	}
	// Unified Test Format, "runOnRequirements": a case without a row of specs/skips.yaml skips for its requirements alone.
	if at := slices.IndexFunc(compiled.Cases, func(c *suite.Case) bool { return c.Name == "TestNowhere" }); compiled.Cases[at].Skip !=
		"skipped for its requirements: there is none" {
		t.Errorf("the case is skipped because of %q", compiled.Cases[at].Skip)
	}
}

// writerFunc is a writer that calls a function on each write.
type writerFunc func()

func (w writerFunc) Write(data []byte) (int, error) {
	w()
	return len(data), nil
}

func TestAnInterruptedRunReportsWhatItHas(t *testing.T) {
	root := writeModule(t, map[string]string{"generated/upstream/s/slow/a_test.go": `//go:build upstream

package slow_test

import "testing"

func TestPasses(t *testing.T)   {}
func TestForever(t *testing.T)  { select {} }
func TestNextOne(t *testing.T)  {}
`})
	compiled := &suite.Result{Cases: newCases("generated/upstream/s/slow", "TestPasses", "TestForever", "TestNextOne")}
	results := judge(compiled)
	ctx, interrupt := context.WithCancel(t.Context())
	r := &runner{root: root, log: &bytes.Buffer{}, results: results, progress: progress{out: writerFunc(interrupt), all: 3}}
	if err := r.run(ctx, compiled); err != nil {
		t.Fatal(err)
	}
	keepDone(compiled, results)
	report := newReport(compiled, results, r.elapsed)
	if n := report.Totals; n != (counts{Files: 1, Cases: 1, Passed: 1}) {
		t.Errorf("totals %+v", n)
	}
}
