package topology

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// A server that answers awaitable hellos at once is asked twice a second unless it says something new.
func TestHellosThatRepeatThemselvesPause(t *testing.T) {
	const hurries = 1000
	for _, tt := range []struct {
		name       string
		ages       bool // each reply has a newer topologyVersion
		noVersions bool // it streams replies without one
		most       int  // in ten seconds
	}{
		{name: "the same topologyVersion", most: 25},
		{name: "no topologyVersion", noVersions: true, most: 25},
		{name: "newer ones", ages: true, most: hurries + 25},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := replicaSet("a:1")
			s := d.servers["a:1"]
			s.hurries, s.ages, s.onlyDials = hurries, tt.ages, 1 // no round-trip connection
			runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
				selectWritable(t, top)
				if tt.noVersions {
					d.mu.Lock()
					s.forgets = true
					d.mu.Unlock()
				}
				time.Sleep(10 * time.Second)
				_, hellos := d.count("a:1")
				if hellos > tt.most || tt.ages && hellos < hurries {
					t.Errorf("%d hellos in ten seconds, want %d at most", hellos, tt.most)
				}
				if events := keepLines(l.take(), "heartbeat failed"); len(events) > 0 {
					t.Errorf("%q", events)
				}
			})
		})
	}
}

// A change that comes while the server repeats itself is seen within the pause.
func TestAChangeAfterARepeatedHello(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].onlyDials = 1
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		d.change("a:1", func(s *fakeServer) { s.hurries = 10 })
		time.Sleep(time.Second)
		d.change("a:1", func(s *fakeServer) { s.fields = memberFields([]string{"a:1"}, "a:1", false, 1) })
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if server, _ := top.Description().Server("a:1"); server.Type.String() != "RSSecondary" {
			t.Errorf("it is still a %s", server.Type)
		}
	})
}

// A server that answers each handshake and then breaks the connection gets another at once, and two a second after
// that.
func TestConnectionsThatBreakAgainAndAgainPause(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].drops = true
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, _ *Topology, _ *log) {
		time.Sleep(100 * time.Millisecond)
		if dials, _ := d.count("a:1"); dials < 2 {
			t.Errorf("%d connections in the first tenth of a second: the first one that broke was not replaced", dials)
		}
		time.Sleep(10 * time.Second)
		if dials, _ := d.count("a:1"); dials > 30 {
			t.Errorf("%d connections in ten seconds", dials)
		}
	})
}
