package server

import "testing"

// The text of an unknown command says that mongotest lacks it, so the list has no command that is in the table. One that
// needs scripts may be missing from a deployment.
func TestAbsentCommandsAreNotInTheTable(t *testing.T) {
	table := table()
	for name := range absent {
		if row := table[name]; row != nil && !row.scripts {
			t.Errorf("%s is in the table: remove it from the list in known.go", name)
		}
	}
}
