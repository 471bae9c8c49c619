package main

import (
	"fmt"
	"os"
	"sync"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// benchmarks are those that drivers share, in the order of the specification, from specs/benchmarks.yaml.
var benchmarks = sync.OnceValue(func() model.Benchmarks {
	tables := load.NewTables(os.DirFS("../../specs"))
	list := model.NewBenchmarks(tables)
	if problems := tables.Problems(); len(problems) > 0 {
		fmt.Fprintln(os.Stderr, "peerbench: run it in its own folder, whose neighbours are the tables:", problems[0])
		os.Exit(2)
	}
	return list
})
