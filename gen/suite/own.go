package suite

import (
	"io/fs"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// OwnDir is where the suites of our own cases go.
const OwnDir = "generated/conformance"

// Own compiles the cases in specs/cases, of which each must compile.
func Own(t *load.Tables) []emit.File {
	format, err := unified.LoadFormat(t.FS())
	if err != nil {
		t.Problemf(load.Pos{File: "specs/" + unified.TablePath}, "%v", err)
		return nil
	}
	cases, err := fs.Sub(t.FS(), "cases")
	if err == nil {
		var files []*File
		if files, err = Find(cases, nil); err == nil {
			r := Compile(files, Options{Dir: OwnDir, From: "specs/cases/", Unified: format})
			for _, p := range r.Problems() {
				t.Problemf(p.Pos, "%s", p.Text)
			}
			return r.Files
		}
	}
	t.Problemf(load.Pos{File: "specs/cases"}, "%v", err)
	return nil
}
