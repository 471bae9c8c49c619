package mutant

import "testing"

// Every mutant applies to the sources as they are.
func TestMutantsApply(t *testing.T) {
	for _, m := range All {
		if _, err := m.Overlay("../../../..", t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}
