package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/suite"
)

// newCase is a case that the pinned test files do not have, or have with another content.
type newCase struct {
	Suite   string `json:"suite"`
	File    string `json:"file"`
	Case    string `json:"case"`
	Changed bool   `json:"changed,omitempty"`
}

// addNew lists what is new since specs/UPSTREAM-TESTS was written, and prints it.
func (r *report) addNew(root string, compiled *suite.Result, stdout io.Writer) error {
	text, err := os.ReadFile(filepath.Join(root, "specs", "UPSTREAM-TESTS"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	pins, err := suite.ParsePins(string(text))
	if err != nil {
		return fmt.Errorf("specs/UPSTREAM-TESTS: %w", err)
	}
	r.New = sincePins(pins, compiled)
	if len(r.New) == 0 {
		return nil
	}
	fmt.Fprintf(stdout, "new since the pinned tests: %d cases\n", len(r.New))
	for i, c := range r.New {
		if i == shown {
			fmt.Fprintf(stdout, "... and %d more; -json lists all\n", len(r.New)-shown)
			break
		}
		what := "new"
		if c.Changed {
			what = "changed"
		}
		fmt.Fprintf(stdout, "\t%s %s: %s\n", what, c.File, c.Case)
	}
	return nil
}

// sincePins returns the cases that differ from their pins, in the order of the cases.
func sincePins(pins suite.Pins, compiled *suite.Result) []newCase {
	var out []newCase
	now := map[*suite.File][]suite.CasePin{}
	for _, c := range compiled.Cases {
		if now[c.File] == nil {
			now[c.File] = suite.PinFiles([]*suite.File{c.File}).Files[c.File.Path].Cases
		}
		old := pins.Files[strings.TrimPrefix(c.File.Path, "source/")].Cases
		name := suite.NamePrint(c.Name)
		named := func(p suite.CasePin) bool { return p.Name == name }
		same := func(p suite.CasePin) bool { return named(p) && slices.Contains(old, p) }
		if known := slices.ContainsFunc(old, named); !known || !slices.ContainsFunc(now[c.File], same) {
			out = append(out, newCase{Suite: c.File.Suite, File: c.File.Path, Case: c.Name, Changed: known})
		}
	}
	return out
}
