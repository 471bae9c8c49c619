// Gen turns the tables in specs/ into the Go below generated/ and the pictures beside the tables.
//
//	go run ./gen                compares, prints what differs and exits 1
//	go run ./gen -write         writes what differs and deletes what no table yields
//	go run ./gen -only a,b      looks at some tables alone; orphans are not looked for
//	go run ./gen -stats         counts tables, rows and lines
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

//go:generate go run ../tools/specsync -root .. -from "$SPECS"
//go:generate go run . -root .. -write

func main() {
	root := flag.String("root", ".", "directory of the module")
	write := flag.Bool("write", false, "write files instead of comparing them")
	only := flag.String("only", "", "comma-separated tables to look at; all when empty")
	counts := flag.Bool("stats", false, "count tables, rows and lines")
	flag.Parse()
	debug.SetGCPercent(400) // a run is short, and its memory small
	if *counts {
		if err := stats(*root, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(*root, *write, *only, os.Stdout, os.Stderr))
}

// run is main without the process.
func run(root string, write bool, only string, stdout, stderr io.Writer) int {
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
		err = tree.write(out, stdout)
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
