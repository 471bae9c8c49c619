package topology

import (
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// SDAM Logging and Monitoring, "Events API": a heartbeat lasts as long as its exchange. Without a wait at the server
// that is the round trip time.
func TestHeartbeatsLastAsLongAsTheirExchange(t *testing.T) {
	const latency = 100 * time.Millisecond
	var mu sync.Mutex
	var succeeded, failed []time.Duration
	o := &options.Client{ServerMonitor: &event.ServerMonitor{
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceeded) {
			mu.Lock()
			defer mu.Unlock()
			succeeded = append(succeeded, e.Duration)
		},
		ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailed) {
			mu.Lock()
			defer mu.Unlock()
			failed = append(failed, e.Duration)
		},
	}}
	d := standalone()
	d.servers["a:1"].latency = latency
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		time.Sleep(15 * time.Second)
		if s, _ := top.Description().Server("a:1"); s.RTT != latency {
			t.Errorf("the round trip time is %v", s.RTT)
		}
		d.change("a:1", func(s *fakeServer) { s.down, s.latency = true, 3*latency })
		time.Sleep(15 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if len(succeeded) != 2 || succeeded[0] != latency || succeeded[1] != latency {
			t.Errorf("heartbeats lasted %v, want twice %v", succeeded, latency)
		}
		if len(failed) == 0 || failed[0] != 3*latency {
			t.Errorf("failed heartbeats lasted %v, want %v", failed, 3*latency)
		}
	})
}

// SDAM Logging and Monitoring, "Topology IDs": all events of a topology have its id, and no other topology has the
// same.
func TestEventsHaveTheIDOfTheirTopology(t *testing.T) {
	seen := map[bson.ObjectID]bool{}
	for range 3 {
		var mu sync.Mutex
		ids := map[bson.ObjectID]int{}
		note := func(id bson.ObjectID) {
			mu.Lock()
			defer mu.Unlock()
			ids[id]++
		}
		o := &options.Client{ServerMonitor: &event.ServerMonitor{
			TopologyOpening:            func(e *event.TopologyOpening) { note(e.TopologyID) },
			TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) { note(e.TopologyID) },
			TopologyClosed:             func(e *event.TopologyClosed) { note(e.TopologyID) },
			ServerOpening:              func(e *event.ServerOpening) { note(e.TopologyID) },
			ServerDescriptionChanged:   func(e *event.ServerDescriptionChanged) { note(e.TopologyID) },
			ServerClosed:               func(e *event.ServerClosed) { note(e.TopologyID) },
		}}
		var id bson.ObjectID
		runInBubble(t, replicaSet("a:1", "b:1"), o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
			id = top.ID()
			selectWritable(t, top)
			time.Sleep(time.Minute)
		})
		if len(ids) != 1 || ids[id] < 8 || seen[id] || id.IsZero() {
			t.Errorf("the topology %v has events of %v", id, ids)
		}
		seen[id] = true
	}
}
