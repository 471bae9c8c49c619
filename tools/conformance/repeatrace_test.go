//go:build race

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/suite"
)

// A test that only fails with the race detector is found. This one runs in make race, because its program needs a standard
// library that is compiled for the race detector.
func TestRepeatFindsWhatDiffers(t *testing.T) {
	root := writeModule(t, map[string]string{
		"generated/upstream/s/a/a_test.go": "//go:build upstream\n\npackage a_test\n\nimport \"testing\"\n\n" +
			"func TestGood(t *testing.T) {}\n\nfunc TestRaced(t *testing.T) {\n\tif raced {\n\t\tt.Error(\"raced\")\n\t}\n}\n",
		"generated/upstream/s/a/race_test.go":   "//go:build upstream && race\n\npackage a_test\n\nconst raced = true\n",
		"generated/upstream/s/a/norace_test.go": "//go:build upstream && !race\n\npackage a_test\n\nconst raced = false\n",
	})
	compiled := &suite.Result{Cases: newCases("generated/upstream/s/a", "TestGood", "TestRaced")}
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
