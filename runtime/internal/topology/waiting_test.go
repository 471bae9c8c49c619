package topology

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// SDAM: servers are checked every minHeartbeatFrequencyMS as long as an operation waits for a server, and no longer.
func TestServersAreCheckedOftenWhileSomebodyWaits(t *testing.T) {
	d := newFakeDeployment(map[string]*fakeServer{"a:1": {down: true}, "b:1": {down: true}})
	o := &options.Client{HeartbeatFrequency: new(time.Minute), ServerSelectionTimeout: new(3 * time.Second)}
	runInBubble(t, d, o, []string{"a:1", "b:1"}, func(t *testing.T, top *Topology, _ *log) {
		time.Sleep(10 * time.Second)
		if dials, _ := d.count("a:1"); dials != 1 {
			t.Errorf("%d checks while nobody waits", dials)
		}
		if _, err := top.SelectServer(t.Context(), &Request{Write: true}); err == nil {
			t.Error("a server was found")
		}
		for _, address := range []string{"a:1", "b:1"} {
			if dials, _ := d.count(address); dials < 6 || dials > 8 {
				t.Errorf("%d checks of %s after somebody waited for 3s, want one every 500ms", dials, address)
			}
		}
		before, _ := d.count("a:1")
		time.Sleep(30 * time.Second)
		if dials, _ := d.count("a:1"); dials > before+1 {
			t.Errorf("%d checks more while nobody waits again", dials-before)
		}
	})
}
