package server

import "testing"

// Every command says what it needs, or runs before authentication.
func TestEveryCommandSaysWhatItNeeds(t *testing.T) {
	for name, row := range newTable() {
		if (row.needs == nil) != row.beforeAuth {
			t.Errorf("%s: runs before authentication: %t, and says what it needs: %t", name, row.beforeAuth, row.needs != nil)
		}
	}
}
