package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesWithCgo rewrites a file that imports "C" itself, not what cgo makes of it in the build cache.
func TestFilesWithCgo(t *testing.T) {
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Skip("cgo is off on this machine")
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("testdata", "v2", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src := "package shop\n\n// int one() { return 1; }\nimport \"C\"\n\nimport \"go.mongodb.org/mongo-driver/v2/mongo/options\"\n\n" +
		"func viaC() any { _ = C.one(); return options.Find().SetLimit(1) }\n"
	path := filepath.Join(dir, "shop.go")
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, broken, left, err := loadAll(t.Context(), settings{dir: dir, patterns: []string{"./..."}})
	if err != nil || len(broken)+len(left) > 0 {
		t.Fatal(broken, left, err)
	}
	files, err := filesOf(loaded, false)
	if err != nil || len(files) != 1 || filepath.Base(files[0].path) != "shop.go" {
		t.Fatal(files, err)
	}
	after, err := files[0].rewrite()
	if err != nil || !strings.Contains(string(after), "_ = C.one(); return &options.Find{Limit: new(int64(1))}") {
		t.Errorf("%s %v", after, err)
	}
}
