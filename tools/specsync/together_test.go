package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/generator"
)

// TestMain sets what main sets, or is the child of a test.
func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		if os.Getenv(smallDisk) != "" {
			shrinkDisk()
		}
		rewrite(folder)
	}
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// ours holds what the Go files of this module say. They are read once for all tests.
var ours = readGoCode("../..", "../../specs")

// shelf is the library of all tests that read a checkout of upstream, whose documents are parsed once for them.
var shelf = newLibrary()

// gen runs the generator and returns what it says.
func gen(root string, write bool, only string) (says string, ok bool) {
	var out bytes.Buffer
	status := generator.Run(root, write, only, &out, &out)
	return out.String(), status == 0
}

// generate lets the generator write, and returns the names of what it wrote.
func generate(t *testing.T, root string) string {
	t.Helper()
	out, ok := gen(root, true, "")
	if !ok {
		t.Fatalf("gen: %s", out)
	}
	return out
}

// plantTogether plants edits that add rows, each to a table of its own, and refreshes the tables: nothing of ours is lost,
// and both the refresh and gen name each row that people have to write.
func plantTogether(t *testing.T, list []plantedEdit, from, module string) {
	upstream, root := t.TempDir(), t.TempDir()
	copyTree(t, filepath.Join(from, "source"), filepath.Join(upstream, "source"))
	copyTables(t, module, root)
	for _, e := range list {
		plant(t, filepath.Join(upstream, "source", filepath.FromSlash(e.path)), e.old, e.text)
	}
	before := sentences(t, root)
	var stdout, stderr bytes.Buffer
	specs := filepath.Join(root, "specs")
	exit := run(options{root: "../..", code: ours, library: shelf, from: upstream, specs: specs}, allReaders(upstream, specs, shelf), &stdout, &stderr)
	if exit != 1 {
		t.Errorf("after the refresh: exit %d, %s%s", exit, &stdout, &stderr)
	}
	after := sentences(t, root)
	for doc, n := range before {
		if after[doc] < n {
			t.Errorf("the refresh lost the sentence %q", doc)
		}
	}
	out, ok := gen(root, false, "")
	if ok {
		t.Error("gen takes rows that nobody has written")
	}
	for _, e := range list {
		file := "specs/" + growingTable(e.report)
		if !strings.Contains(stdout.String(), "\nunwritten "+file) {
			t.Errorf("%s: the refresh names no row of %s to write:\n%s%s", e.name, file, &stdout, &stderr)
		}
		if strings.HasPrefix(file, "specs/sync/") {
			continue // gen does not read what only specsync does
		}
		if !regexp.MustCompile(`(?m)^` + file + `:.*write what this row is about`).MatchString(out) {
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
