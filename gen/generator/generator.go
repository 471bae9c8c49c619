// Package generator turns the tables into files. The program gen is its command line; tests of tools/specsync call it too.
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

// Run compares the files below root with what the tables yield, or writes those that differ. only names the tables to look
// at, separated by commas; when empty, all. It returns the status to exit with: 1 for a difference or a mistake in a table,
// 2 for a failure.
func Run(root string, write bool, only string, stdout, stderr io.Writer) int {
	t := load.NewTables(os.DirFS(root + "/specs"))
	files, err := generate(t, only)
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return 2
	}
	if problems := t.Problems(); len(problems) > 0 {
		for _, p := range problems {
			fmt.Fprintln(stderr, p)
		}
		return 1
	}
	out, err := render(files)
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return 2
	}
	if only == "" {
		pictures, err := picture(root, out)
		if err != nil {
			fmt.Fprintln(stderr, "gen:", err)
			return 2
		}
		out = append(out, pictures...)
	}
	tree := tree{root: root, partial: only != ""}
	if write {
		if err = tree.compiles(out); err == nil {
			err = tree.write(out, stdout)
		}
	} else {
		err = tree.compare(out)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
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
		for _, name := range t.Unread(load.NotTables()...) {
			t.Problemf(load.Pos{File: "specs/" + name}, "no emitter reads this table")
		}
	}
	return files, nil
}
