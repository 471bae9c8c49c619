package topology

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/options"
)

// Server Monitoring, "minHeartbeatFrequencyMS": no option makes checks more frequent.
func TestHeartbeatsAreNotMoreFrequentThanTheSmallest(t *testing.T) {
	for _, asked := range []time.Duration{0, time.Millisecond, selecttable.MinHeartbeatFrequency, time.Minute} {
		got := settingsOf(&Config{Options: &options.Client{HeartbeatFrequency: &asked}, getenv: func(string) string { return "" }}).heartbeatFrequency
		if want := max(asked, selecttable.MinHeartbeatFrequency); got != want {
			t.Errorf("heartbeatFrequencyMS %v gives %v, want %v", asked, got, want)
		}
	}
}
