package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/gen/suite"
)

// outcome is the outcome of a case.
type outcome struct {
	done    bool
	passed  bool
	message string
	elapsed time.Duration
	runs    map[string]*caseRun // by topology and version of the deployment, such as "sharded-8.0"
}

// caseRun is the outcome of a case on one deployment.
type caseRun struct {
	passed  bool
	message string
	elapsed time.Duration
}

// finish sums up the runs. Where several deployments failed with the same first line, it keeps the message of one.
func (o *outcome) finish(elapsed time.Duration) {
	o.elapsed = elapsed
	if len(o.runs) == 0 {
		return
	}
	o.elapsed = 0 // the test's own time includes the time that its runs waited for each other
	var messages []string
	from := map[string][]string{}
	for _, where := range slices.Sorted(maps.Keys(o.runs)) {
		run := o.runs[where]
		o.elapsed += run.elapsed
		if run.passed {
			continue
		}
		what := reasonOf(run.message)
		if from[what] == nil {
			messages = append(messages, run.message)
		}
		from[what] = append(from[what], where)
	}
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("on " + strings.Join(from[reasonOf(m)], ", ") + ":\n" + m + "\n")
	}
	if b.Len() > 0 {
		o.message = trimOutput(b.String() + o.message)
	}
}

// judge settles the cases for which nothing has to run.
func judge(compiled *suite.Result) map[*suite.Case]*outcome {
	results := map[*suite.Case]*outcome{}
	for _, c := range compiled.Cases {
		o := &outcome{}
		results[c] = o
		if len(c.Problems) > 0 {
			o.done = true
			var texts []string
			for _, p := range c.Problems {
				texts = append(texts, p.String())
			}
			o.message = strings.Join(texts, "\n")
			if len(c.Problems) == 1 && c.Problems[0].Text == suite.NotCompiledYet {
				o.message = suite.NotCompiledYet
			}
		} else if c.Judged {
			o.done, o.passed = true, true
		}
	}
	return results
}

// failedOn lists the deployments that the case failed on.
func (o *outcome) failedOn() []string {
	var out []string
	for _, where := range slices.Sorted(maps.Keys(o.runs)) {
		if !o.runs[where].passed {
			out = append(out, where)
		}
	}
	return out
}
