package server

import "testing"

// Every command says what it needs, or runs before authentication.
func TestEveryCommandSaysWhatItNeeds(t *testing.T) {
	for name, row := range table() {
		switch {
		case row.needs == nil && !row.beforeAuth:
			t.Errorf("%s: its row has no needs; privileges.go has anyone, onCluster and the like", name)
		case row.needs != nil && row.beforeAuth:
			t.Errorf("%s: its row has needs, which nobody checks before authentication", name)
		}
	}
}
