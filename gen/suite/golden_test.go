package suite

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the compiler prints")

// TestGolden compiles testdata/<case>/in. want holds exactly the files that it yields, and stderr.txt exactly the
// problems.
func TestGolden(t *testing.T) {
	var shared Options
	if err := shared.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		dir := filepath.Join("testdata", d.Name())
		t.Run(d.Name(), func(t *testing.T) {
			files, err := Find(os.DirFS(filepath.Join(dir, "in")), nil)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Dir: "generated/golden", From: "cases/", Unified: shared.Unified, Catalogue: shared.Catalogue}
			if d.Name() == "tagged" {
				o.Tag = "upstream"
			}
			o.Joined = d.Name() == "joined"
			first, second := render(t, Compile(files, o)), render(t, Compile(files, o))
			for name := range first {
				if first[name] != second[name] {
					t.Errorf("%s differs between two runs", name)
				}
			}
			compare(t, dir, first)
		})
	}
}

// render formats the files and the problems of a result as testdata does.
func render(t *testing.T, r *Result) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range r.Files {
		var b bytes.Buffer
		if err := f.Content.Render(&b); err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		out["want/"+strings.TrimPrefix(f.Path, "generated/golden/")] = b.String()
	}
	var b strings.Builder
	for _, p := range r.Problems() {
		b.WriteString(p.String() + "\n")
	}
	if b.Len() > 0 {
		out["stderr.txt"] = b.String()
	}
	return out
}

func compare(t *testing.T, dir string, got map[string]string) {
	t.Helper()
	if *update {
		err := errors.Join(os.RemoveAll(filepath.Join(dir, "want")), os.RemoveAll(filepath.Join(dir, "stderr.txt")))
		for name, text := range got {
			path := filepath.Join(dir, filepath.FromSlash(name))
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(name, dir+string(filepath.Separator)))
		if err != nil || d.IsDir() || strings.HasPrefix(rel, "in/") {
			return err
		}
		data, err := os.ReadFile(name)
		want[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range got {
		if want[name] != text {
			t.Errorf("%s: got\n%s\nwant\n%s", name, text, want[name])
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: expected, but nothing yields it", name)
		}
	}
}
