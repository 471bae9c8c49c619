package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// TestMain sets what main sets, and removes the generator in the end.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	code := m.Run()
	if built.directory != "" {
		os.RemoveAll(built.directory)
	}
	os.Exit(code)
}

// built holds the generator, built when a test first needs it.
var built struct {
	once      sync.Once
	directory string
	err       error
}

// generator returns the path of the built generator.
func generator(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.directory, built.err = os.MkdirTemp("", "specsync"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-ldflags=-w", "-o", built.directory, "./gen")
		cmd.Dir = filepath.Join("..", "..")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.directory, "gen")
}

// plantTogether plants edits that add rows, each to a table of its own, and refreshes the tables: nothing of ours is lost,
// and both the refresh and gen name each row that people have to write.
func plantTogether(t *testing.T, list []planted, from, module, gen string) {
	upstream, root := t.TempDir(), t.TempDir()
	copyTree(t, filepath.Join(from, "source"), filepath.Join(upstream, "source"))
	copyTables(t, module, root)
	for _, e := range list {
		plant(t, filepath.Join(upstream, "source", filepath.FromSlash(e.path)), e.old, e.text)
	}
	before := sentences(t, root)
	var stdout, stderr bytes.Buffer
	shared := newLibrary()
	specs := filepath.Join(root, "specs")
	exit := run(options{root: "../..", library: shared, from: upstream, specs: specs}, allReaders(upstream, specs, shared), &stdout, &stderr)
	if exit != 1 {
		t.Errorf("after the refresh: exit %d, %s%s", exit, &stdout, &stderr)
	}
	after := sentences(t, root)
	for doc, n := range before {
		if after[doc] < n {
			t.Errorf("the refresh lost the sentence %q", doc)
		}
	}
	out, err := exec.Command(gen, "-root", root).CombinedOutput()
	if err == nil {
		t.Error("gen takes rows that nobody has written")
	}
	for _, e := range list {
		file := "specs/" + growing(e.report)
		if !strings.Contains(stdout.String(), "\nunwritten "+file) {
			t.Errorf("%s: the refresh names no row of %s to write:\n%s%s", e.name, file, &stdout, &stderr)
		}
		if strings.HasPrefix(file, "specs/sync/") {
			continue // gen does not read what only specsync does
		}
		if !regexp.MustCompile(`(?m)^` + file + `:.*write what this row is about`).Match(out) {
			t.Errorf("%s: gen names no row of %s to write:\n%s", e.name, file, out)
		}
	}
}

// sentences counts the lines of all tables that hold a doc.
func sentences(t *testing.T, root string) map[string]int {
	t.Helper()
	out := map[string]int{}
	err := filepath.WalkDir(filepath.Join(root, "specs"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(name)
		for line := range strings.Lines(string(data)) {
			if _, doc, found := strings.Cut(line, "doc: "); found {
				out[doc]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
