package generator

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
)

// TestRealTablesAreGenerated is the drift check as a test.
func TestRealTablesAreGenerated(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Run("../..", false, "", &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d:\n%s", code, stderr.String())
	}
}

func TestTwoRunsAreIdentical(t *testing.T) {
	first, second := once().output, everything(t)
	if len(first) != len(second) {
		t.Fatalf("%d files, then %d", len(first), len(second))
	}
	for i := range first {
		if first[i].path != second[i].path || !bytes.Equal(first[i].content, second[i].content) {
			t.Errorf("%s differs between two runs", first[i].path)
		}
	}
}

// The whole generation takes less than five seconds. The test counts the best of a few runs, because a busy machine
// slows some. It does not count under the race detector, which slows them all.
func TestGenerationIsFast(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector slows every run")
	}
	best := once().took
	for try := 0; try < 10 && best > 5*time.Second; try++ {
		load.Forget()
		start := time.Now()
		everything(t)
		best = min(best, time.Since(start))
	}
	if best > 5*time.Second {
		t.Errorf("it took %v", best)
	}
}

func everything(t *testing.T) []output {
	t.Helper()
	out, err := yield()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func yield() ([]output, error) {
	tables := load.NewTables(os.DirFS("../../specs"))
	files, err := generate(tables, "")
	if err != nil {
		return nil, err
	}
	if problems := tables.Problems(); len(problems) > 0 {
		return nil, fmt.Errorf("%v", problems)
	}
	return render(files)
}

// generation is what one run yields, and the time that it took.
type generation struct {
	output []output
	took   time.Duration
}

// once is the first run, which several tests look at.
var once = sync.OnceValue(func() generation {
	load.Forget()
	start := time.Now()
	out, err := yield()
	if err != nil {
		panic(err)
	}
	return generation{out, time.Since(start)}
})

// checkout is a folder with the tables and what they yield. A test that changes it changes it back.
var checkout = sync.OnceValues(func() (root string, err error) {
	if root, err = os.MkdirTemp("", "gen"); err != nil {
		return "", err
	}
	made = root
	if err := os.CopyFS(filepath.Join(root, "specs"), os.DirFS("../../specs")); err != nil {
		return root, err
	}
	var stdout, stderr bytes.Buffer
	if code := Run(root, true, "", &stdout, &stderr); code != 0 {
		return root, fmt.Errorf("exit %d:\n%s", code, &stderr)
	}
	return root, nil
})

// made is the folder of checkout, once there is one.
var made string

// TestMain sets what main sets, and removes the checkout if a test has made one.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	code := m.Run()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

// restored is the folder of checkout.
func restored(t *testing.T) string {
	t.Helper()
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEmptyCheckoutIsRestored(t *testing.T) {
	root := restored(t)
	for _, f := range once().output {
		if !strings.HasPrefix(f.path, "generated/") {
			continue
		}
		got, err := os.ReadFile(filepath.Join(root, f.path))
		if err != nil || !bytes.Equal(got, f.content) {
			t.Errorf("%s was not restored: %v", f.path, err)
		}
	}
}

func TestCheckReports(t *testing.T) {
	root := restored(t)
	cases := []struct {
		name   string
		change func(t *testing.T, root string)
		want   string
	}{
		{"a hand edit", func(t *testing.T, root string) {
			edit(t, root+"/generated/errcode/code.go", "Code = 89\n", "Code = 98\n")
		}, "generated/errcode/code.go:"},
		{"a missing file", func(t *testing.T, root string) {
			remove(t, root+"/generated/errcode/label.go")
		}, "generated/errcode/label.go: missing; specs/errors/labels.yaml yields it"},
		{"an orphan", func(t *testing.T, root string) {
			write(t, root+"/generated/errcode/more.go", "package errcode\n")
		}, "generated/errcode/more.go: no table yields this file"},
		{"a table that nothing reads", func(t *testing.T, root string) {
			write(t, root+"/specs/errors/more.yaml", "table: more\n")
		}, "specs/errors/more.yaml: no emitter reads this table"},
		{"a changed row", func(t *testing.T, root string) {
			edit(t, root+"/specs/errors/codes.yaml", "{code: 6, name: HostUnreachable", "{code: 600, name: HostUnreachable")
		}, "generated/errcode/code.go:"},
		{"a reference to no document", func(t *testing.T, root string) {
			edit(t, root+"/specs/server/types.yaml", `spec: 'SDAM, "ServerType"'`, `spec: 'SDAN, "ServerType"'`)
		}, "spec: neither UPSTREAM lists a document \"SDAN\" nor does documents.yaml name one"},
		{"a short name that nothing uses", func(t *testing.T, root string) {
			edit(t, root+"/specs/documents.yaml", "rows:\n", "rows:\n  - {name: the sea, doc: \"The sea is wide.\"}\n")
		}, "specs/documents.yaml:7: no row refers to the sea"},
		{"a short name of no document", func(t *testing.T, root string) {
			edit(t, root+"/specs/documents.yaml", "path: crud/crud.md", "path: crud/crude.md")
		}, "CRUD: UPSTREAM does not list crud/crude.md"},
		{"a code that is named twice", func(t *testing.T, root string) {
			edit(t, root+"/specs/errors/codes.yaml", "{code: 6, name: HostUnreachable", "{code: 7, name: HostUnreachable")
		}, "code 7 is named twice (HostUnreachable, line "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.change(t, root)
			var stdout, stderr bytes.Buffer
			if code := Run(root, false, "", &stdout, &stderr); code != 1 {
				t.Errorf("exit %d", code)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("stderr does not say %q:\n%s", c.want, stderr.String())
			}
		})
	}
}

func TestWriteRemovesOrphans(t *testing.T) {
	root := restored(t)
	orphan := root + "/generated/errcode/more.go"
	write(t, orphan, "package errcode\n")
	var stdout, stderr bytes.Buffer
	if code := Run(root, true, "", &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	if _, err := os.Stat(orphan); !os.IsNotExist(err) {
		t.Errorf("the orphan is still there: %v", err)
	}
	if got, want := stdout.String(), "removed generated/errcode/more.go\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
}

func TestUnknownTableIsRefused(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Run("../..", false, "bsontype,nothing", &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "no table is called nothing") {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
}

func TestTwoTablesCannotYieldOneFile(t *testing.T) {
	_, err := render([]emit.File{
		{Path: "generated/a.txt", Table: "a.yaml", Content: emit.Text("a")},
		{Path: "generated/a.txt", Table: "b.yaml", Content: emit.Text("b")},
	})
	if err == nil || err.Error() != "generated/a.txt comes from both specs/a.yaml and specs/b.yaml" {
		t.Errorf("got %v", err)
	}
}

func edit(t *testing.T, name, old, text string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s does not contain %q", name, old)
	}
	write(t, name, strings.Replace(string(data), old, text, 1))
}

func remove(t *testing.T, name string) {
	t.Helper()
	putBack(t, name)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	putBack(t, name)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// putBack makes a file after the test what it is now.
func putBack(t *testing.T, name string) {
	t.Helper()
	before, err := os.ReadFile(name)
	t.Cleanup(func() {
		if err != nil {
			_ = os.Remove(name) // nothing was there
		} else if err := os.WriteFile(name, before, 0o644); err != nil {
			t.Error(err)
		}
	})
}
