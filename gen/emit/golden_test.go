package emit_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the emitters print")

// golden runs every case below testdata/<name>. in/ is a miniature specs directory. want/ holds exactly the files that
// it yields, or stderr.txt exactly the problems. The generated Go must compile in place of the real package.
func golden[M any](t *testing.T, name string, build func(*load.Tables) M, print func(M) []emit.File) {
	t.Helper()
	cases, err := os.ReadDir(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		dir := filepath.Join("testdata", name, c.Name())
		t.Run(c.Name(), func(t *testing.T) {
			tables := load.NewTables(os.DirFS(filepath.Join(dir, "in")))
			m := build(tables)
			if problems := tables.Problems(); len(problems) > 0 {
				compareFiles(t, dir, map[string]string{"stderr.txt": lines(problems)})
				return
			}
			got := map[string]string{}
			for _, f := range print(m) {
				got["want/"+f.Path] = render(t, f)
			}
			again := map[string]string{}
			for _, f := range print(m) {
				again["want/"+f.Path] = render(t, f)
			}
			for file := range got {
				if got[file] != again[file] {
					t.Errorf("%s differs between two runs", file)
				}
			}
			compareFiles(t, dir, got)
			compile(t, dir)
		})
	}
}

func lines(problems []load.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

func render(t *testing.T, f emit.File) string {
	t.Helper()
	data, err := emit.Print(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// compareFiles compares all files of a case except its input with the generated ones, in both directions.
func compareFiles(t *testing.T, dir string, got map[string]string) {
	t.Helper()
	if *update {
		rewrite(t, dir, got)
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
	for file, text := range got {
		if w, ok := want[file]; !ok {
			t.Errorf("%s: unexpected file:\n%s", file, text)
		} else if w != text {
			t.Errorf("%s: got\n%s\nwant\n%s", file, text, w)
		}
	}
	for file := range want {
		if _, ok := got[file]; !ok {
			t.Errorf("%s: expected, but nothing yields it", file)
		}
	}
}

func rewrite(t *testing.T, dir string, got map[string]string) {
	t.Helper()
	err := errors.Join(os.RemoveAll(filepath.Join(dir, "want")), os.RemoveAll(filepath.Join(dir, "stderr.txt")))
	for file, text := range got {
		name := filepath.Join(dir, filepath.FromSlash(file))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compile builds the golden packages in place of the real ones. A build overlay hides all real files except
// those with types that rows name.
func compile(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replace, packages := map[string]string{}, []string{}
	want := filepath.Join(root, "gen", "emit", dir, "want")
	err = filepath.WalkDir(want, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		rel, err := filepath.Rel(want, name)
		if pkg := "./" + path.Dir(filepath.ToSlash(rel)); !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
			real, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
			for _, f := range real {
				if path.Base(f) != "types.go" {
					replace[f] = ""
				}
			}
		}
		replace[filepath.Join(root, rel)] = name
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) == 0 {
		return
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(overlay, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"build", "-overlay", overlay}, packages...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the golden does not compile: %v\n%s", err, out)
	}
}
