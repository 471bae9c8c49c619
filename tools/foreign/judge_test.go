package main

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	set := server{Topology: "replicaset", Version: "8.0", Passed: 1}
	good, bad := outcome{"good", passed, ""}, outcome{"bad", failed, "why"}
	row := knownFailure{Test: "bad", Kind: "ours", Why: "open"}
	tests := []struct {
		name          string
		failing       []knownFailure
		all           []outcome
		sample, other bool
		verdict       string // the part of it that matters
	}{
		{name: "all pass", all: []outcome{good}, verdict: "as listed"},
		{name: "a failure that is not listed", all: []outcome{good, bad}, verdict: "1 not listed"},
		{name: "a failure that is listed", failing: []knownFailure{row}, all: []outcome{good, bad}, verdict: "as listed"},
		{name: "a failure that is listed for another topology", failing: []knownFailure{{Test: "bad", On: []string{"sharded"}}},
			all: []outcome{good, bad}, verdict: "1 not listed"},
		{name: "a failure that is listed for this version", failing: []knownFailure{{Test: "bad", On: []string{"replicaset 8.0"}}},
			all: []outcome{good, bad}, verdict: "as listed"},
		{name: "a listed test that passes", failing: []knownFailure{row}, all: []outcome{good, {"bad", passed, ""}}, verdict: "1 listed, but passed"},
		{name: "one of two runs of a test fails", failing: []knownFailure{row}, all: []outcome{good, bad, {"bad", passed, ""}}, verdict: "as listed"},
		{name: "a listed test that is gone", failing: []knownFailure{row}, all: []outcome{good}, verdict: "1 listed, but did not run"},
		{name: "a listed test that is skipped", failing: []knownFailure{row}, all: []outcome{good, {"bad", skipped, ""}}, verdict: "1 listed, but did not run"},
		{name: "a sample need not run what is listed", failing: []knownFailure{row}, all: []outcome{good}, sample: true, verdict: "as listed"},
		{name: "a test that fails sometimes passes", failing: []knownFailure{{Test: "bad", Sometimes: true}},
			all: []outcome{good, {"bad", passed, ""}}, verdict: "as listed"},
		{name: "a test that fails sometimes counts as passed", failing: []knownFailure{{Test: "bad", Sometimes: true}},
			all: []outcome{bad}, verdict: "as listed"},
		{name: "all below a test fail", failing: []knownFailure{{Test: "bad/*"}}, all: []outcome{good, {"bad/a", failed, ""}, {"bad/b", failed, ""}},
			verdict: "as listed"},
		{name: "one below a test passes", failing: []knownFailure{{Test: "bad/*"}}, all: []outcome{good, {"bad/a", failed, ""}, {"bad/b", passed, ""}},
			verdict: "1 listed, but passed"},
		{name: "a test beside it fails", failing: []knownFailure{{Test: "bad/*"}}, all: []outcome{good, {"bad/a", failed, ""}, bad},
			verdict: "1 not listed"},
		{name: "nothing passes", all: []outcome{{"good", skipped, ""}}, verdict: "fewer passed than the 1"},
		{name: "nothing passes in a sample", sample: true, verdict: "fewer passed"},
		{name: "another server fails what is ours", failing: []knownFailure{row}, all: []outcome{good, bad}, other: true, verdict: "1 not listed"},
		{name: "another server passes what is listed", failing: []knownFailure{{Test: "bad", Kind: "flaw"}},
			all: []outcome{good, {"bad", passed, ""}}, other: true, verdict: "as listed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &result{suite: suite{Failing: test.failing}, server: set, all: test.all}
			r.judge(test.sample, test.other)
			if got := r.verdict(); !strings.Contains(got, test.verdict) || r.isRed(true) != (test.verdict != "as listed") {
				t.Errorf("%s, red %v; want %s", got, r.isRed(true), test.verdict)
			}
		})
	}
}

func TestASuiteThatCannotRunIsRedOnlyIfItIsRequired(t *testing.T) {
	r := &result{missing: "npm is not installed"}
	if r.isRed(false) || !r.isRed(true) || r.verdict() != "not run: npm is not installed" {
		t.Error(r.isRed(false), r.isRed(true), r.verdict())
	}
}
