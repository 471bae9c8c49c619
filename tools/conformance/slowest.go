package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/specdrivers/onion/gen/suite"
)

// slowCase is a case and how long it took, all of its runs together. Its runs share the processors with those of other cases.
type slowCase struct {
	Suite   string  `json:"suite"`
	File    string  `json:"file"`
	Case    string  `json:"case"`
	Seconds float64 `json:"seconds"`
}

// slowestCount is how many cases the report names.
const slowestCount = 10

// findSlowest lists the cases that took longest.
func (r *report) findSlowest(compiled *suite.Result, results map[*suite.Case]*outcome) {
	for _, c := range compiled.Cases {
		if took := results[c].elapsed.Seconds(); took > 0 {
			r.Slowest = append(r.Slowest, slowCase{c.File.Suite, c.File.Path, c.Name, took})
		}
	}
	slices.SortStableFunc(r.Slowest, func(a, b slowCase) int { return cmp.Compare(b.Seconds, a.Seconds) })
	r.Slowest = r.Slowest[:min(len(r.Slowest), slowestCount)]
}

func (r *report) printSlowest(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "time\t  slowest cases\n")
	for _, c := range r.Slowest {
		fmt.Fprintf(t, "%.1fs\t  %s: %s\n", c.Seconds, c.File, c.Case)
	}
	t.Flush()
}
