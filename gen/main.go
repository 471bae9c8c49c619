// Gen turns the tables in specs/ into the Go below generated/, and into the pages and pictures beside the tables.
//
//	go run ./gen                compares, prints what differs and exits 1
//	go run ./gen -write         writes what differs and deletes what no table yields
//	go run ./gen -only a,b      looks at some tables alone; orphans are not looked for
//	go run ./gen -docs          looks at the pages and pictures instead of the Go
//	go run ./gen -stats         counts tables, rows and lines
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/specdrivers/onion/gen/generator"
)

//go:generate go run ../tools/specsync -root .. -generate -from "$SPECS"

func main() {
	root := flag.String("root", ".", "directory of the module")
	write := flag.Bool("write", false, "write files instead of comparing them")
	only := flag.String("only", "", "comma-separated tables to look at; all when empty")
	docs := flag.Bool("docs", false, "look at the pages and pictures beside the tables instead of the Go")
	counts := flag.Bool("stats", false, "count tables, rows and lines")
	flag.Parse()
	debug.SetGCPercent(400) // a run is short, and its memory small
	if *counts {
		if err := generator.Stats(*root, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
		return
	}
	if *docs {
		os.Exit(generator.Docs(*root, *write, os.Stdout, os.Stderr))
	}
	os.Exit(generator.Run(*root, *write, *only, os.Stdout, os.Stderr))
}
