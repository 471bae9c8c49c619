package mutant

import (
	"strings"
	"testing"
)

// Every mutant applies to the sources as they are, beside all others.
func TestMutantsApply(t *testing.T) {
	if _, err := Overlay(All, "../../../..", t.TempDir()); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, m := range All {
		if seen[m.Name] {
			t.Errorf("there are two mutants %q", m.Name)
		}
		seen[m.Name] = true
		for _, e := range m.Edits {
			if !strings.Contains(e.New, "PLANTED") {
				t.Errorf("%s: the bug is there in every run", m.Name)
			}
		}
	}
}
