package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// codeModule has packages with tests, and another package that tests the rest of one.
var codeModule = map[string]string{
	"go.mod": "module m\n\ngo 1.26\n",
	"p/p.go": "package p\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n\nfunc Big(n int) bool {\n\treturn n > 10\n}\n\n" +
		"func Count(n int) int {\n\treturn n + 1\n}\n\nfunc Idle() int {\n\treturn 0\n}\n",
	"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) { if Half(8) != 4 { t.Error() } }\n\n" +
		"func TestBig(t *testing.T) { if Big(3) || !Big(30) { t.Error() } }\n\nfunc TestWrong(t *testing.T) { Half(1); t.Error() }\n",
	"r/r.go":      "package r\n\nfunc Twice(n int) int {\n\treturn n * 2\n}\n",
	"r/r_test.go": "package r\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) { if Twice(3) != 6 { t.Error() } }\n",
	// The function allocates nothing only where the call is inlined.
	"p/inlined_test.go": "package p\n\nimport \"testing\"\n\nfunc TestSmall(t *testing.T) {\n" +
		"\tif testing.AllocsPerRun(9, func() { *Boxed(1)++ }) > 0 { t.Error() }\n}\n",
	"p/boxed.go":  "package p\n\nvar last *int\n\nfunc Boxed(n int) *int {\n\tif n > 2 {\n\t\tlast = new(int)\n\t}\n\treturn &n\n}\n",
	"q/q_test.go": "package q\n\nimport (\"m/p\"; \"testing\")\n\nfunc TestCount(t *testing.T) { if p.Count(3) != 4 || p.Half(4) != 2 { t.Error() } }\n",
}

func TestRunCodeFindsWhoNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	root := t.TempDir()
	for name, text := range codeModule {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg := &config{root: root, pkg: "p,r", n: 100, all: true, seed: 1, json: filepath.Join(root, "report.json"), goOn: true}
	read := func() (*report, string) {
		var out bytes.Buffer
		if _, err := runCode(t.Context(), cfg, &out); err != nil {
			t.Fatal(err)
		}
		r, err := newReport(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return r, out.String()
	}
	got, text := read()
	by := map[string]string{}
	for _, f := range got.Mutants {
		by[f.Row+"|"+f.Change+"|"+f.Is] = strings.TrimSpace(string(f.Verdict) + " " + f.By)
	}
	for mutant, want := range map[string]string{
		"Half: return n / 2|another operator|*":            "test m/p",
		"Big: return n > 10|zero result|return *new(bool)": "test m/p",
		"Big: return n > 10|moved by one|>=":               "survived",
		"Count: return n + 1|another operator|-":           "test m/q",
		"Twice: return n * 2|another operator|/":           "test m/r",
		"Boxed: if n > 2 {|negated|!(n > 2)":               "test m/p",
		"Boxed: if n > 2 {|moved by one|>=":                "survived",
	} {
		if by[mutant] != want {
			t.Errorf("%s: %q, want %q; all: %v", mutant, by[mutant], want, by)
		}
	}
	for _, want := range []string{"survived: p/p.go:8: moved by one: > -> >=\n", "not asked: [TestWrong]", "in builds of one: [TestSmall]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	again, text := read()
	if len(again.Mutants) != len(got.Mutants) || again.count("")[killed] != got.count("")[killed] {
		t.Errorf("%v, then %v\n%s", got.count(""), again.count(""), text)
	}
	if n := strings.Count(text, "survived: "); n != got.count("")[survived] {
		t.Errorf("a second run prints %d survivors of %d", n, got.count("")[survived])
	}
	cfg.own, cfg.goOn = true, false
	var out bytes.Buffer
	if _, err := runCode(t.Context(), cfg, &out); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(strings.Split(out.String(), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "survived: p/p.go:12: another operator: + -> -")
	}) {
		t.Errorf("its own tests do not ask for the loop:\n%s", out.String())
	}
}
