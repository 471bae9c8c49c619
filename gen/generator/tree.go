package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/emit"
)

// output is a rendered file; source is the file that it comes from, from the module root.
type output struct {
	path, source string
	content      []byte
}

// render prints every file and sorts them by path; two tables that want the same file are an error.
func render(files []emit.File) ([]output, error) {
	out := make([]output, 0, len(files))
	for _, f := range files {
		content, err := emit.Print(f)
		if err != nil {
			return nil, err
		}
		source := path.Join("specs", f.Table)
		if !fs.ValidPath(f.Path) || !strings.HasPrefix(f.Path, "generated/") && !strings.HasPrefix(f.Path, "specs/") {
			return nil, fmt.Errorf("%s: the file %s is neither in generated nor in specs", source, f.Path)
		}
		out = append(out, output{path: f.Path, source: source, content: content})
	}
	slices.SortFunc(out, func(a, b output) int { return strings.Compare(a.path, b.path) })
	for i := 1; i < len(out); i++ {
		if out[i].path == out[i-1].path {
			return nil, fmt.Errorf("%s comes from both %s and %s", out[i].path, out[i-1].source, out[i].source)
		}
	}
	return out, nil
}

// tree is the folder of a checkout that generated files live in. A partial tree knows only some tables and has no orphans.
type tree struct {
	root, folder string
	partial      bool
}

// inFolder returns the files that live in the folder.
func (t tree) inFolder(all []output) (out []output) {
	for _, f := range all {
		if strings.HasPrefix(f.path, t.folder+"/") {
			out = append(out, f)
		}
	}
	return out
}

// settle writes or compares, and returns the status to exit with.
func (t tree) settle(want []output, write bool, stdout, stderr io.Writer) int {
	err := error(nil)
	if write {
		err = t.write(want, stdout)
	} else {
		err = t.compare(want)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// compare reports every file that is not what the tables say, missing, or yielded by no table.
func (t tree) compare(want []output) error {
	var problems []error
	for _, f := range want {
		got, err := os.ReadFile(t.path(f.path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, fmt.Errorf("%s: missing; %s yields it", f.path, f.source))
		case err != nil:
			problems = append(problems, err)
		case !bytes.Equal(got, f.content):
			problems = append(problems, fmt.Errorf("%s:%d: differs from %s", f.path, firstDifference(got, f.content), f.source))
		}
	}
	orphans, err := t.orphans(want)
	for _, o := range orphans {
		problems = append(problems, fmt.Errorf("%s: no table yields this file; `%s` deletes it", o, t.target()))
	}
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("run `%s`", t.target())
	}
	return errors.Join(append(problems, err)...)
}

// write brings the tree in line with the tables and names each file that it changes.
func (t tree) write(want []output, log io.Writer) error {
	for _, f := range want {
		if got, err := os.ReadFile(t.path(f.path)); err == nil && bytes.Equal(got, f.content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(t.path(f.path)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(t.path(f.path), f.content, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(log, "wrote", f.path)
	}
	orphans, err := t.orphans(want)
	if err != nil {
		return err
	}
	for _, o := range orphans {
		if err := os.Remove(t.path(o)); err != nil {
			return err
		}
		fmt.Fprintln(log, "removed", o)
	}
	return nil
}

// orphans lists files that stand where only gen writes and that no table yields. generated/upstream is compiled from
// a checkout of the upstream tests and never committed.
func (t tree) orphans(want []output) ([]string, error) {
	if t.partial {
		return nil, nil
	}
	known := make(map[string]bool, len(want))
	for _, f := range want {
		known[f.path] = true
	}
	var orphans []string
	err := filepath.WalkDir(t.path(t.folder), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		rel, err := filepath.Rel(t.root, name)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == "generated/upstream" || rel == "specs/cases"):
			return fs.SkipDir
		case !d.IsDir() && !known[rel] && t.writtenByGen(rel):
			orphans = append(orphans, rel)
		}
		return nil
	})
	return orphans, err
}

// writtenByGen reports whether only gen may write a file: all of generated/, and the pages and pictures beside the tables.
func (t tree) writtenByGen(rel string) bool {
	return t.folder == "generated" || strings.HasSuffix(rel, ".svg") || strings.HasSuffix(rel, ".md") && rel != "specs/README.md"
}

// target returns the target of make that brings the folder in line with the tables.
func (t tree) target() string {
	if t.folder == "specs" {
		return "make docs"
	}
	return "make generate"
}

func (t tree) path(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// firstDifference returns the number of the first line in which two files differ.
func firstDifference(a, b []byte) int {
	as, bs := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(as), len(bs)) {
		if !bytes.Equal(as[i], bs[i]) {
			return i + 1
		}
	}
	return min(len(as), len(bs))
}
