package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/suite"
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

// A test that fails with the race detector alone is found.
func TestRepeatFindsWhatDiffers(t *testing.T) {
	root := module(t, map[string]string{
		"generated/upstream/s/a/a_test.go": "//go:build upstream\n\npackage a_test\n\nimport \"testing\"\n\n" +
			"func TestGood(t *testing.T) {}\n\nfunc TestRaced(t *testing.T) {\n\tif raced {\n\t\tt.Error(\"raced\")\n\t}\n}\n",
		"generated/upstream/s/a/race_test.go":   "//go:build upstream && race\n\npackage a_test\n\nconst raced = true\n",
		"generated/upstream/s/a/norace_test.go": "//go:build upstream && !race\n\npackage a_test\n\nconst raced = false\n",
	})
	compiled := &suite.Result{Cases: cases("generated/upstream/s/a", "TestGood", "TestRaced")}
	var log, out bytes.Buffer
	r := &runner{root: root, log: &log, results: judge(compiled)}
	if err := r.run(t.Context(), compiled); err != nil {
		t.Fatal(err)
	}
	same, err := repeat(r, compiled, &out)
	if err != nil || same {
		t.Errorf("same %t, %v", same, err)
	}
	if text := out.String(); !strings.Contains(text, "TestRaced, with the race detector: fails, and passes before") ||
		!strings.Contains(text, "under load") || strings.Contains(text, "TestGood") {
		t.Error(text)
	}
}
