package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tests that name a server are changed, in a copy, to use the server of the run. Other files stay as they are.
func TestAimed(t *testing.T) {
	text := `const server = "mongodb://localhost"`
	folder := write(t, map[string]string{"a.go": text, "a_test.go": text})
	j := job{suite: suite{Run: runner{Replace: []string{"mongodb://localhost", "{uri}"}}}, uri: "mongodb://a:1", folder: folder, scratch: t.TempDir()}
	copied, err := j.copySource()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.go": text, "a_test.go": `const server = "mongodb://a:1"`} {
		if got, err := os.ReadFile(filepath.Join(copied, name)); string(got) != want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(folder, "a_test.go")); string(got) != text {
		t.Errorf("the source changes: %s", got)
	}
}

// Only the external tests of a package are moved to a folder of their own.
func TestSetApart(t *testing.T) {
	folder := write(t, map[string]string{"a.go": "package a\n", "in_test.go": "package a\n", "out_test.go": "// licence\n\npackage a_test\n"})
	if err := setApart(folder, []string{"."}); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(folder, "internal/blackbox/*.go"))
	if err != nil || len(paths) != 1 || !strings.HasSuffix(paths[0], "out_test.go") {
		t.Errorf("%v, %v", paths, err)
	}
}

// Files lose the build tags that their suite names, and keep every other constraint.
func TestUntag(t *testing.T) {
	folder := write(t, map[string]string{
		"a.go": "// licence\n\n//go:build cse\n\npackage a\n", "b.go": "//go:build !cse\n\npackage a\n", "c.go": "// x\n//go:build cse && linux\n\npackage a\n",
	})
	if err := untag(folder, runner{Packages: []string{"."}, Untagged: []string{"cse"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a.go": false, "b.go": true, "c.go": true} {
		if src, err := os.ReadFile(filepath.Join(folder, name)); err != nil || strings.Contains(string(src), "go:build") != want {
			t.Errorf("%s: %s, %v", name, src, err)
		}
	}
}
