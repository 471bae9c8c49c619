package selection_test

import (
	"testing"
	"time"

	selecttable "github.com/specdrivers/onion/generated/core/selection"
)

// Max staleness and server selection: constants that no option changes.
func TestConstants(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"smallestMaxStalenessSeconds", selecttable.SmallestMaxStaleness, 90 * time.Second},
		{"idleWritePeriodMS", selecttable.IdleWritePeriod, 10 * time.Second},
		{"minHeartbeatFrequencyMS", selecttable.MinHeartbeatFrequency, 500 * time.Millisecond},
		{"weight of the newest round trip", selecttable.RTTAlpha, 0.2},
		{"samples of the smallest round trip", selecttable.RTTSamples, 10},
		{"samples that it needs", selecttable.RTTSamplesNeeded, 2},
		{"pause between SRV lookups", selecttable.RescanSRVInterval, time.Minute},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}
