// Package generator is part of the generator, not for users: it turns the tables into files. The program gen is its command
// line; tests of tools/specsync call it too.
package generator

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// Run compares the files below generated with what the tables yield, or writes those that differ. only names the tables to
// look at, separated by commas; when empty, all. It returns the status to exit with: 1 for a difference or a mistake in a
// table, 2 for a failure.
func Run(root string, write bool, only string, stdout, stderr io.Writer) int {
	out, code := renderTables(root, only, stderr)
	if code != 0 {
		return code
	}
	tree := tree{root: root, folder: "generated", partial: only != ""}
	out = tree.inFolder(out)
	if write {
		if err := tree.typeCheck(out); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
	}
	return tree.settle(out, write, stdout, stderr)
}

// Docs does what Run does for the pages and pictures beside the tables. Every change of a table changes some of them,
// so branches would conflict; they are written now and then. The pictures show what tools/conformance counted.
func Docs(root string, write bool, stdout, stderr io.Writer) int {
	out, code := renderTables(root, "", stderr)
	if code != 0 {
		return code
	}
	pictures, err := drawPictures(root, out)
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return 2
	}
	tree := tree{root: root, folder: "specs"}
	return tree.settle(append(tree.inFolder(out), pictures...), write, stdout, stderr)
}

// renderTables renders everything that the tables below root yield. If it cannot, it reports why and returns the exit status.
func renderTables(root, only string, stderr io.Writer) (out []output, code int) {
	t := load.NewTables(os.DirFS(root + "/specs"))
	files, err := generate(t, only)
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return nil, 2
	}
	if problems := t.Problems(); len(problems) > 0 {
		for _, p := range problems {
			fmt.Fprintln(stderr, p)
		}
		return nil, 1
	}
	if out, err = render(files); err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return nil, 2
	}
	return out, 0
}

// generate runs the chosen tables and, when all are chosen, reports table files that none of them read.
func generate(t *load.Tables, only string) ([]emit.File, error) {
	var files []emit.File
	chosen := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, e := range entries() {
		if i := slices.Index(chosen, e.name); i >= 0 {
			chosen = slices.Delete(chosen, i, i+1)
		} else if only != "" {
			continue
		}
		files = append(files, e.run(t)...)
	}
	if len(chosen) > 0 {
		return nil, fmt.Errorf("no table is called %s", strings.Join(chosen, ", "))
	}
	if only == "" {
		model.CheckReferences(t)
		for _, name := range t.UnreadFiles(load.NonTableFiles()...) {
			t.Problemf(load.Pos{File: "specs/" + name}, "no emitter reads this table")
		}
	}
	return files, nil
}
