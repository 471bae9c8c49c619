package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each named mistake fits its file, and a row of the evidence that lists Go tests names it.
func TestNamedMistakesFit(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := readNamed(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Errorf("%d mistakes", len(all))
	}
	for _, m := range all {
		if why := m.whyUnfit(root); why != "" {
			t.Errorf("%s: %s", m.Name, why)
		}
	}
}

// A mistake counts as killed only if the witnesses of every row notice it; other tests do not count.
func TestRunNamedAsksTheWitnesses(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	root := t.TempDir()
	files := map[string]string{
		namedFile: "rows:\n" +
			"  - {name: half, file: p/p.go, was: n / 2, is: n / 3}\n" +
			"  - {name: big, file: p/p.go, was: n > 10, is: n >= 10}\n" +
			"  - {name: gone, file: p/p.go, was: n > 11, is: n >= 10}\n",
		"specs/evidence/a.yaml": "table: evidence-a\ndoc: A.\nspec: a.md\nsections:\n  - section: S\n    rows:\n" +
			"      - {id: \"000000000001\", at: p.Half, witness: [p.TestHalf, cases/a.yml], mutant: half}\n" +
			"      - {id: \"000000000002\", at: p.Big, witness: p.TestBig, mutant: big}\n" +
			"      - {id: \"000000000003\", at: p.Big, witness: p.TestBig, mutant: gone}\n",
	}
	for name, text := range codeModule {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	ok, err := runNamed(t.Context(), &config{root: root, named: ".", all: true}, &out)
	if err != nil || ok {
		t.Errorf("%t, %v", ok, err)
	}
	for _, want := range []string{
		"half: killed\n", "big: survived p.TestBig\n", "gone: its text occurs 0 times in p/p.go\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
}
