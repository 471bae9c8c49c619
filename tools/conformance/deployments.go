package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/specdrivers/onion/gen/suite"
)

// deploymentCounts are the runs of a suite on one kind of deployment.
type deploymentCounts struct {
	Suite      string `json:"suite"`
	Deployment string `json:"deployment"`
	Topology   string `json:"topology"`
	Version    string `json:"version"`
	Passed     int    `json:"passed"`
	Failed     int    `json:"failed"`

	failures []failure
}

// countDeployments adds up how the cases did on each kind of deployment.
func (r *report) countDeployments(compiled *suite.Result, results map[*suite.Case]*outcome) {
	found := map[[2]string]*deploymentCounts{}
	for _, c := range compiled.Cases {
		for where, run := range results[c].runs {
			key := [2]string{c.File.Suite, where}
			d := found[key]
			if d == nil {
				d = newDeployment(key[0], key[1])
				found[key] = d
				r.Deployments = append(r.Deployments, d)
			}
			if run.passed {
				d.Passed++
				continue
			}
			d.Failed++
			d.failures = append(d.failures, failure{Suite: c.File.Suite, File: c.File.Path, Case: c.Name, Message: run.message})
		}
	}
	slices.SortFunc(r.Deployments, func(a, b *deploymentCounts) int {
		return cmp.Or(strings.Compare(a.Suite, b.Suite), compareDeployments(a, b))
	})
}

// newDeployment reads the name of a run, such as load-balanced-8.0.
func newDeployment(suite, name string) *deploymentCounts {
	d := &deploymentCounts{Suite: suite, Deployment: name, Topology: name}
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		d.Topology, d.Version = name[:i], name[i+1:]
	}
	return d
}

// compareDeployments orders by topology, then by version.
func compareDeployments(a, b *deploymentCounts) int {
	return cmp.Or(strings.Compare(a.Topology, b.Topology), slices.Compare(numbers(a.Version), numbers(b.Version)))
}

func numbers(version string) []int {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	return out
}

// sums returns the runs of all suites, by topology and version.
func (r *report) sums() []*deploymentCounts {
	sum := map[string]*deploymentCounts{}
	var out []*deploymentCounts
	for _, d := range r.Deployments {
		if sum[d.Deployment] == nil {
			sum[d.Deployment] = newDeployment("", d.Deployment)
			out = append(out, sum[d.Deployment])
		}
		sum[d.Deployment].Passed += d.Passed
		sum[d.Deployment].Failed += d.Failed
	}
	slices.SortFunc(out, compareDeployments)
	return out
}

func (r *report) printDeployments(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "passed\tfailed\t  deployment\n")
	for _, d := range r.sums() {
		fmt.Fprintf(t, "%d\t%d\t  %s\n", d.Passed, d.Failed, d.Deployment)
	}
	t.Flush()
}
