package sdam_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// SDAM, "Checking wire protocol compatibility" and "error": texts that all drivers share.
func TestMessages(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{sdamtable.ServerTooNew("a:1", 40, "Onion", 29), "Server at a:1 requires wire version 40, but this version of Onion only supports up to 29."},
		{sdamtable.ServerTooOld("a:1", 7, "Onion", 8, "4.2"), "Server at a:1 reports wire version 7, but this version of Onion requires at least 8 (MongoDB 4.2)."},
		{sdamtable.StalePrimary("(1, 2)", "(3, 4)"), "primary marked stale due to electionId/setVersion mismatch, (1, 2) is stale compared to (3, 4)"},
		{sdamtable.NewerPrimary(), "primary marked stale due to discovery of newer primary"},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}
