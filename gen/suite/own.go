package suite

import (
	"io/fs"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
)

// OwnDir is where the suites of our own cases go.
const OwnDir = "generated/conformance"

// CompileOwn compiles the cases in specs/cases. Every case must compile.
func CompileOwn(t *load.Tables) []emit.File {
	o := Options{Dir: OwnDir, From: "specs/cases/", Joined: true}
	if err := o.Tables(t); err != nil {
		t.Problemf(load.Pos{File: "specs/unified"}, "%v", err)
		return nil
	}
	cases, err := fs.Sub(t.FS(), "cases")
	if err == nil {
		var files []*File
		if files, err = Find(cases, nil); err == nil {
			r := Compile(files, o)
			for _, p := range r.Problems() {
				t.Problemf(p.Pos, "%s", p.Text)
			}
			return r.Files
		}
	}
	t.Problemf(load.Pos{File: "specs/cases"}, "%v", err)
	return nil
}
