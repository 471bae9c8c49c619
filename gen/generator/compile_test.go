package generator

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
)

// overlaid is the folder of the tables with one of them replaced.
type overlaid struct {
	fs.FS
	name string
	data []byte
}

func (o overlaid) Open(name string) (fs.File, error) {
	if name == o.name {
		return fstest.MapFS{name: {Data: o.data}}.Open(name)
	}
	return o.FS.Open(name)
}

// The model does not detect these mistakes. The type checker must, and name the table.
func TestGoThatDoesNotCompileIsRefused(t *testing.T) {
	for _, c := range []struct{ name, only, table, from, to, want string }{
		{"an error code with the name of the type", "errors", "errors/codes.yaml", "name: HostUnreachable", "name: Code",
			`(?m)^specs/errors/[a-z]+\.yaml(:\d+)?: generated/errcode/code\.go:\d+: .*Code`},
		{"an option of a type that is not there", "options", "options/types/collation.yaml", `go: "*bool"`, `go: "*boool"`,
			`(?m)^specs/options/types/collation\.yaml(:\d+)?: generated/options/collation\.go:\d+: .*boool`},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../../specs", c.table))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.from) {
				t.Fatalf("%s has no %q", c.table, c.from)
			}
			data = bytes.Replace(data, []byte(c.from), []byte(c.to), 1)
			tables := load.NewTables(overlaid{os.DirFS("../../specs"), c.table, data})
			files, err := generate(tables, c.only)
			if err != nil || len(tables.Problems()) > 0 {
				t.Fatal(err, tables.Problems())
			}
			out, err := render(files)
			if err != nil {
				t.Fatal(err)
			}
			err = tree{root: "../..", folder: "generated", partial: true}.typeCheck(out)
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A correct change passes the type checker before anything is written.
func TestGoThatCompilesPasses(t *testing.T) {
	out := append([]output{}, once().output...)
	for i, f := range out {
		if f.path == "generated/errcode/label.go" {
			out[i].content = append(bytes.Clone(f.content), "\n// A new line.\n"...)
		}
	}
	if err := (tree{root: "../..", folder: "generated"}).typeCheck(out); err != nil {
		t.Error(err)
	}
}

// Generated tests must compile, too.
func TestTestsAreCompiled(t *testing.T) {
	out := append([]output{}, once().output...)
	for i, f := range out {
		if f.path == "generated/core/logmsg/message_test.go" {
			out[i].content = append(bytes.Clone(f.content), "\nvar _ = missing\n"...)
		}
	}
	err := (tree{root: "../..", folder: "generated"}).typeCheck(out)
	if err == nil || !strings.Contains(err.Error(), "generated/core/logmsg/message_test.go") {
		t.Errorf("got %v", err)
	}
}

// No table can write outside the folders that gen owns.
func TestFilesElsewhereAreRefused(t *testing.T) {
	for _, path := range []string{"../x.go", "generated/../bson/x.go", "runtime/x.go", "/tmp/x.go", "generated"} {
		if _, err := render([]emit.File{{Path: path, Table: "packages.yaml", Content: emit.Text("x")}}); err == nil || !strings.Contains(err.Error(), "neither in generated nor in specs") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
