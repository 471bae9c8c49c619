package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed page.html
var page string

// row is a suite on the page.
type row struct {
	counts
	Time  string
	Cells []cell     // its test files
	Runs  []*runCell // its runs by the columns of the matrix; nil where there are none
}

// HasRun reports whether the suite ran on any deployment.
func (r row) HasRun() bool {
	return slices.ContainsFunc(r.Runs, func(c *runCell) bool { return c != nil })
}

// cell is a test file on the page.
type cell struct {
	*fileResult
	ID    int
	Label string
	Color template.CSS
}

// Find returns what the filter box looks at.
func (c cell) Find() string {
	words := []string{c.File}
	for _, f := range c.Failures {
		words = append(words, f.Case)
	}
	for _, s := range c.Skips {
		words = append(words, s.Case)
	}
	return strings.ToLower(strings.Join(words, " "))
}

// runCell is a cell of the matrix: the runs of a suite on one kind of deployment.
type runCell struct {
	*deploymentCounts
	ID    string
	Color template.CSS
}

// Failures returns the failures of the runs.
func (c runCell) Failures() []failure { return c.failures }

// topology is a group of columns of the matrix.
type topology struct {
	Name     string
	Versions []string
}

// writeHTML writes a page that loads nothing else: a square for each test file, and a matrix of suites and deployments,
// both from green to red. A click on a square or a cell shows its failures; a box filters.
func (r *report) writeHTML(name string) error {
	if name == "" {
		return nil
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	return t.Execute(out, map[string]any{
		"Rows": r.rows(), "Topologies": r.topologies(), "Totals": r.Totals, "Percent": percent(r.Totals), "Slowest": r.Slowest,
		"Made": time.Now().UTC().Format("2006-01-02 15:04 UTC"),
	})
}

func (r *report) rows() []*row {
	rows := make([]*row, len(r.Suites))
	bySuite := map[string]*row{}
	columns := map[string]int{}
	for i, d := range r.sums() {
		columns[d.Deployment] = i
	}
	for i, s := range r.Suites {
		rows[i] = &row{counts: *s, Time: fmt.Sprintf("%.1f s", r.elapsed[s.Name].Seconds()), Runs: make([]*runCell, len(columns))}
		bySuite[s.Name] = rows[i]
	}
	for i, f := range r.files {
		to := bySuite[f.Suite]
		to.Cells = append(to.Cells, cell{fileResult: f, ID: i, Label: path.Base(f.File), Color: color(f.counts)})
	}
	for i, d := range r.Deployments {
		bySuite[d.Suite].Runs[columns[d.Deployment]] = &runCell{
			deploymentCounts: d, ID: fmt.Sprintf("d%d", i), Color: color(counts{Passed: d.Passed, Failed: d.Failed}),
		}
	}
	return rows
}

// topologies returns the columns of the matrix.
func (r *report) topologies() []topology {
	var out []topology
	for _, d := range r.sums() {
		if len(out) == 0 || out[len(out)-1].Name != d.Topology {
			out = append(out, topology{Name: d.Topology})
		}
		last := &out[len(out)-1]
		last.Versions = append(last.Versions, d.Version)
	}
	return out
}

func percent(n counts) string {
	if n.Cases == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*float64(n.Passed)/float64(n.Cases))
}

// dimHue is the hue from which on black text is easier to read on the background than white text.
const dimHue = 28

// color goes from red over amber to green with the share of cases that pass. A file whose cases are all skipped is
// grey. The text on it has the color that is easier to read.
func color(n counts) template.CSS {
	ran := n.Passed + n.Failed
	if ran == 0 {
		return "#b8bec6"
	}
	hue := 4 + 136*float64(n.Passed)/float64(ran)
	ink := "#101418"
	if hue < dimHue {
		ink = "#fff"
	}
	return template.CSS(fmt.Sprintf("hsl(%.0f 62%% 44%%);color:%s", hue, ink))
}
