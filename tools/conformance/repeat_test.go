package main

import (
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	runs := func(a, b bool) map[string]*caseRun {
		return map[string]*caseRun{"single": {passed: a}, "sharded": {passed: b}}
	}
	for name, tt := range map[string]struct {
		first, then *outcome
		want        string
	}{
		"the same":           {&outcome{passed: true, runs: runs(true, true)}, &outcome{passed: true, runs: runs(true, true)}, ""},
		"a failure":          {&outcome{passed: true}, &outcome{message: "two"}, "fails, and passes before: two"},
		"another deployment": {&outcome{runs: runs(true, false)}, &outcome{runs: runs(false, true)}, "passes on sharded, and fails before\nfails on single, and passes before"},
		"fewer deployments":  {&outcome{passed: true, runs: runs(true, true)}, &outcome{passed: true}, "did not run on sharded\ndid not run on single"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(differences(tt.first, tt.then), "\n"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
