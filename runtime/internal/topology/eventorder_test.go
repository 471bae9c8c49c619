package topology

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// SDAM Logging and Monitoring, "Event Order and Concurrency": monitors publish heartbeats while operations change
// descriptions, and the listener still gets one event at a time.
func TestEventsArriveOneAtATime(t *testing.T) {
	var inside, overlaps atomic.Int32
	slow := func() {
		if inside.Add(1) > 1 {
			overlaps.Add(1)
		}
		time.Sleep(10 * time.Millisecond)
		inside.Add(-1)
	}
	o := &options.Client{HeartbeatFrequency: new(500 * time.Millisecond), ServerMonitor: &event.ServerMonitor{
		TopologyDescriptionChanged: func(*event.TopologyDescriptionChanged) { slow() },
		ServerDescriptionChanged:   func(*event.ServerDescriptionChanged) { slow() },
		ServerHeartbeatStarted:     func(*event.ServerHeartbeatStarted) { slow() },
		ServerHeartbeatSucceeded:   func(*event.ServerHeartbeatSucceeded) { slow() },
		ServerHeartbeatFailed:      func(*event.ServerHeartbeatFailed) { slow() },
	}}
	runInBubble(t, replicaSet("a:1", "b:1", "c:1"), o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		for range 3 {
			breakOne(t, top)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if n := overlaps.Load(); n != 0 {
			t.Errorf("%d events arrived while another was being handled", n)
		}
	})
}

// Server Monitoring, "Requesting an immediate check": a request during a check is ignored, and one before a check is
// answered by it.
func TestCheckAnswersTheRequests(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   []time.Duration // when checks are requested; without a request a check runs from 10s to 13s
		want int             // checks by 20s
	}{
		{"none", nil, 2},
		{"during the check", []time.Duration{12 * time.Second}, 2},
		{"between checks", []time.Duration{5 * time.Second}, 3}, // at 5s and, 10s after its end, at 18s
		{"after the check", []time.Duration{14 * time.Second}, 3},
		{"two before the shortest pause has passed", []time.Duration{13100 * time.Millisecond, 13200 * time.Millisecond}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := standalone()
			runInBubble(t, d, &options.Client{HeartbeatFrequency: new(10 * time.Second)}, []string{"a:1"},
				func(t *testing.T, top *Topology, _ *log) {
					synctest.Wait()
					d.change("a:1", func(s *fakeServer) { s.latency = 3 * time.Second })
					began := time.Now()
					for _, at := range tt.at {
						time.Sleep(at - time.Since(began))
						top.RequestCheckAll()
					}
					time.Sleep(20*time.Second - time.Since(began))
					if _, hellos := d.count("a:1"); hellos != tt.want {
						t.Errorf("%d checks, want %d", hellos, tt.want)
					}
				})
		})
	}
}
