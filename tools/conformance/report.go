package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/suite"
)

// report is what -json writes. Passed, failed and skipped always add up to the cases.
type report struct {
	Suites   []*counts `json:"suites"`
	Totals   counts    `json:"totals"`
	Failures []failure `json:"failures"`
	Skips    []skip    `json:"skips"`
	// New are the cases that the pinned test files lack, or have with another content.
	New []newCase `json:"new,omitempty"`
	// Deployments counts the runs of cases on each kind of deployment, by suite, topology and version.
	Deployments []*deploymentCounts `json:"deployments"`
	// Slowest are the cases that took longest.
	Slowest []slowCase `json:"slowest"`

	elapsed map[string]time.Duration // by suite
	files   []*fileResult            // for the page
}

// counts are the numbers of a suite. The counts of all suites together have no name.
type counts struct {
	Name    string `json:"name,omitempty"`
	Files   int    `json:"files"`
	Cases   int    `json:"cases"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}

type failure struct {
	Suite   string `json:"suite"`
	File    string `json:"file"`
	Case    string `json:"case"`
	Message string `json:"message"`
	// Deployments are those on which the case failed, where it ran on several.
	Deployments []string `json:"deployments,omitempty"`
}

type skip struct {
	Suite  string `json:"suite"`
	File   string `json:"file"`
	Case   string `json:"case"`
	Reason string `json:"reason"`
	// On names the topologies on which the case does not run. The case counts by its outcome on the others.
	On []string `json:"on,omitempty"`
}

// fileResult is a cell of the page.
type fileResult struct {
	counts
	Suite, File string
	Failures    []failure
	Skips       []skip
}

func newReport(compiled *suite.Result, results map[*suite.Case]*outcome, elapsed map[string]time.Duration) *report {
	r := &report{Failures: []failure{}, Skips: []skip{}, Suites: []*counts{}, Deployments: []*deploymentCounts{},
		elapsed: map[string]time.Duration{}}
	suites := map[string]*counts{}
	files := map[*suite.File]*fileResult{}
	for _, c := range compiled.Cases {
		s := suites[c.File.Suite]
		if s == nil {
			s = &counts{Name: c.File.Suite}
			suites[s.Name] = s
			r.Suites = append(r.Suites, s)
		}
		f := files[c.File]
		if f == nil {
			f = &fileResult{Suite: c.File.Suite, File: c.File.Path}
			files[c.File] = f
			r.files = append(r.files, f)
			s.Files++
			r.Totals.Files++
		}
		r.count(c, results[c], s, f)
	}
	for pkg, d := range elapsed {
		name, _, _ := strings.Cut(strings.TrimPrefix(pkg, emit.Module+"/"+upstream+"/"), "/")
		r.elapsed[name] += d
	}
	r.countDeployments(compiled, results)
	r.findSlowest(compiled, results)
	slices.SortFunc(r.Suites, func(a, b *counts) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// addPartial lists the cases that are not run on some topologies.
func (r *report) addPartial(compiled *suite.Result, s *skips) {
	files := map[string]*fileResult{}
	for _, f := range r.files {
		files[f.File] = f
	}
	for _, c := range compiled.Cases {
		if row := s.row(c.File, c.Name); row != nil && len(row.On) > 0 {
			k := skip{Suite: c.File.Suite, File: c.File.Path, Case: c.Name, Reason: row.Reason, On: row.On}
			r.Skips, files[c.File.Path].Skips = append(r.Skips, k), append(files[c.File.Path].Skips, k)
		}
	}
}

// count adds a case to the numbers of its suite, of its file and of all.
func (r *report) count(c *suite.Case, o *outcome, s *counts, f *fileResult) {
	for _, n := range []*counts{s, &f.counts, &r.Totals} {
		n.Cases++
		switch {
		case c.Skip != "":
			n.Skipped++
		case o.passed:
			n.Passed++
		default:
			n.Failed++
		}
	}
	switch {
	case c.Skip != "":
		k := skip{Suite: c.File.Suite, File: c.File.Path, Case: c.Name, Reason: c.Skip}
		r.Skips, f.Skips = append(r.Skips, k), append(f.Skips, k)
	case !o.passed:
		k := failure{Suite: c.File.Suite, File: c.File.Path, Case: c.Name, Message: o.message, Deployments: o.failedOn()}
		r.Failures, f.Failures = append(r.Failures, k), append(f.Failures, k)
	}
}

// shown is how many failures the terminal shows in full.
const shown = 20

func (r *report) print(w io.Writer, took time.Duration) {
	r.printFailures(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "files\tcases\tpassed\tfailed\tskipped\ttime\t  suite\n")
	for _, s := range r.Suites {
		r.printRow(t, *s, r.elapsed[s.Name], s.Name)
	}
	r.printRow(t, r.Totals, took, "in all")
	t.Flush()
	r.printDeployments(w)
	r.printSlowest(w)
}

func (r *report) printRow(w io.Writer, n counts, d time.Duration, name string) {
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%.1fs\t  %s\n", n.Files, n.Cases, n.Passed, n.Failed, n.Skipped, d.Seconds(), name)
}

func (r *report) printFailures(w io.Writer) {
	n := 0
	for _, f := range r.Failures {
		if f.Message == suite.NotCompiledYet {
			continue
		}
		if n++; n > shown {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n\t%s\n", f.File, f.Case, strings.ReplaceAll(f.Message, "\n", "\n\t"))
	}
	if n > shown {
		fmt.Fprintf(w, "... and %d more failures; -json lists all\n", n-shown)
	}
}

func (r *report) writeJSON(name string) error {
	if name == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}
