package suite

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/upstream"
)

// Every file below a folder called tests has cases, and each case runs or is judged by the compiler. The other JSON files
// of a checkout are schemas and data of prose tests.
func TestEveryFileHasCases(t *testing.T) {
	specs, upstream := os.DirFS("../../specs"), os.DirFS(upstream.Path(t))
	o := Options{Dir: "generated/upstream", Tag: "upstream"}
	if err := o.Tables(load.NewTables(specs)); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.Zone, err = LoadZone(specs); err != nil {
		t.Fatal(err)
	}
	files, err := Find(upstream, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]int{} // by path without extension: of a .yml and its .json only one is read
	for _, c := range Compile(files, o).Cases {
		if c.Func == "" && !c.Judged && c.Skip == "" && len(c.Problems) == 0 {
			t.Errorf("%s: %s neither runs nor says why", c.File.Path, c.Name)
		}
		cases[strings.TrimSuffix(c.File.Path, path.Ext(c.File.Path))]++
	}
	err = fs.WalkDir(upstream, ".", func(name string, d fs.DirEntry, err error) error {
		stem := strings.TrimSuffix(name, path.Ext(name))
		switch ext := path.Ext(name); {
		case err != nil || d.IsDir() || ext != ".json" && ext != ".yml" && ext != ".yaml":
		case isInTests(name) && cases[stem] == 0:
			t.Errorf("%s has no case", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
