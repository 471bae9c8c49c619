package selection_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/selection"
)

// Max Staleness, "Smallest allowed value for maxStalenessSeconds".
func TestSmallestMaxStaleness(t *testing.T) {
	slow := selecttable.SmallestMaxStaleness - selecttable.IdleWritePeriod + time.Second
	for _, tt := range []struct {
		heartbeat, limit time.Duration
		ok               bool
	}{
		{time.Second, selecttable.SmallestMaxStaleness, true},
		{time.Second, selecttable.SmallestMaxStaleness - 1, false},
		{slow, slow + selecttable.IdleWritePeriod, true},
		{slow, slow + selecttable.IdleWritePeriod - 1, false},
	} {
		s := selection.Selector{
			HeartbeatFrequency: tt.heartbeat,
			ReadPreference:     &options.ReadPreference{Mode: options.Secondary, MaxStaleness: &tt.limit},
		}
		topology := description.Topology{Type: description.ReplicaSetNoPrimary, Compatible: true}
		if err := s.Validate(&topology); (err == nil) != tt.ok {
			t.Errorf("heartbeats every %v, at most %v: %v", tt.heartbeat, tt.limit, err)
		}
	}
}

// Server Monitoring, "Measuring RTT": the smallest round trip counts once there are enough samples.
func TestSmallestRoundTripNeedsSamples(t *testing.T) {
	var r selection.RTT
	for n := 1; n <= selecttable.RTTSamplesNeeded; n++ {
		if r.Min() != 0 {
			t.Errorf("%v after %d samples", r.Min(), n-1)
		}
		r.Add(time.Duration(n) * time.Second)
	}
	if r.Min() != time.Second {
		t.Errorf("%v, want the first sample", r.Min())
	}
}
