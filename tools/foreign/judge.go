package main

import (
	"fmt"
	"time"
)

// result is what a run of a suite on one server showed.
type result struct {
	suite  suite
	server server
	// missing is why the suite did not run. Then the rest is empty.
	missing string
	all     []outcome
	took    time.Duration
	memory  int64 // megabytes that the server held at most

	unlisted []outcome      // failed, and are not listed
	listed   []knownFailure // failed, and are listed
	stale    []knownFailure // listed, and passed
	unseen   []knownFailure // listed, and did not run
	fewer    bool           // fewer tests passed than last time
}

// count counts the tests that ended in a state.
func (r *result) count(s state) int {
	n := 0
	for _, o := range r.all {
		if o.state == s {
			n++
		}
	}
	return n
}

// isRed reports whether the run is a failure. A suite that could not run is a failure only if every suite is required.
func (r *result) isRed(required bool) bool {
	if r.missing != "" {
		return required
	}
	return len(r.unlisted)+len(r.stale)+len(r.unseen) > 0 || r.fewer
}

// judge compares how the tests ended with what the suite's file says. A sample runs only a part of the suite, so listed tests
// may be missing and fewer may pass. A server other than mongotestd is judged only by unexplained failures, because a failure that is
// mongotestd's fault may not occur there.
func (r *result) judge(sample, other bool) {
	known := map[string]bool{}
	excused := 0
	for _, f := range r.suite.Failing {
		if !f.appliesTo(r.server) || other && f.Kind == "ours" {
			continue
		}
		counts := map[state]int{}
		for _, o := range r.all {
			if f.covers(o.name) {
				counts[o.state]++
				known[o.name] = true
			}
		}
		if counts[failed] > 0 {
			r.listed = append(r.listed, f)
		}
		switch {
		case f.Sometimes:
			excused += counts[failed]
		case other:
		case counts[passed] > 0 && (counts[failed] == 0 || f.isPattern()): // a name that occurs twice has failed if one of them has
			r.stale = append(r.stale, f)
		case counts[failed] == 0 && !sample:
			r.unseen = append(r.unseen, f)
		}
	}
	for _, o := range r.all {
		if o.state == failed && !known[o.name] {
			r.unlisted = append(r.unlisted, o)
		}
	}
	least := r.server.Passed
	if sample || other {
		least = 1
	}
	r.fewer = r.count(passed)+excused < least
}

// verdict returns the last column of the report.
func (r *result) verdict() string {
	switch {
	case r.missing != "":
		return "not run: " + r.missing
	case len(r.unlisted) > 0:
		return fmt.Sprintf("**%d not listed**", len(r.unlisted))
	case len(r.stale) > 0:
		return fmt.Sprintf("**%d listed, but passed**", len(r.stale))
	case len(r.unseen) > 0:
		return fmt.Sprintf("**%d listed, but did not run**", len(r.unseen))
	case r.fewer:
		return fmt.Sprintf("**fewer passed than the %d of last time**", r.server.Passed)
	}
	return "as listed"
}
