package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/options"
)

// TestConstantsOfOptions checks that each constant has the server's or the specification's word.
func TestConstantsOfOptions(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{options.FullDocumentDefault, "default"},
		{options.FullDocumentUpdateLookup, "updateLookup"},
		{options.FullDocumentWhenAvailable, "whenAvailable"},
		{options.FullDocumentRequired, "required"},
		{options.FullDocumentOff, "off"},
		{options.ReadConcernLocal, "local"},
		{options.ReadConcernMajority, "majority"},
		{options.ReadConcernLinearizable, "linearizable"},
		{options.ReadConcernAvailable, "available"},
		{options.ReadConcernSnapshot, "snapshot"},
		{options.ServerAPIVersion1, "1"},
		{string(options.MonitorAuto), "auto"},
		{string(options.MonitorStream), "stream"},
		{string(options.MonitorPoll), "poll"},
		{options.NonTailable.String(), "nonTailable"},
		{options.Tailable.String(), "tailable"},
		{options.TailableAwait.String(), "tailableAwait"},
		{options.Before.String(), "before"},
		{options.After.String(), "after"},
		{options.CursorLifetime.String(), "cursorLifetime"},
		{options.Iteration.String(), "iteration"},
		{options.Primary.String(), "primary"},
		{options.PrimaryPreferred.String(), "primaryPreferred"},
		{options.Secondary.String(), "secondary"},
		{options.SecondaryPreferred.String(), "secondaryPreferred"},
		{options.Nearest.String(), "nearest"},
	} {
		if c.got != c.want {
			t.Errorf("a constant is %q, want %q", c.got, c.want)
		}
	}
}
