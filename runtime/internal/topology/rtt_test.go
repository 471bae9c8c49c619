package topology

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// stepDown fails an operation with NotWritablePrimary.
func stepDown(t *testing.T, s *Server) {
	t.Helper()
	c, err := s.CheckOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reply, err := bson.Marshal(bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 10107}})
	if err != nil {
		t.Fatal(err)
	}
	s.HandleError(c, fault.NewCommandError("insert", s.Address(), reply))
	s.CheckIn(c)
}

// Server Selection, "Calculation of Average Round Trip Times": the average begins again with the first new sample.
func TestRoundTripTimesEndWithAStateChangeError(t *testing.T) {
	for name, mode := range map[string]options.ServerMonitoringMode{
		"streaming": options.MonitorStream, "polling": options.MonitorPoll,
	} {
		t.Run(name, func(t *testing.T) {
			d := replicaSet("a:1")
			d.servers["a:1"].latency = 100 * time.Millisecond
			runInBubble(t, d, &options.Client{ServerMonitoringMode: &mode}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
				s := selectWritable(t, top)
				time.Sleep(time.Minute) // time for samples
				if now := s.Description(); now.RTT != 100*time.Millisecond || now.MinRTT != 100*time.Millisecond {
					t.Fatalf("RTT %v, minimum %v, want 100ms", now.RTT, now.MinRTT)
				}
				d.mu.Lock()
				d.servers["a:1"].latency = 10 * time.Millisecond
				d.mu.Unlock()
				time.Sleep(500 * time.Millisecond)
				stepDown(t, s)
				time.Sleep(20 * time.Millisecond) // the next sample does not wait for heartbeatFrequencyMS
				d.change("a:1", func(*fakeServer) {})
				time.Sleep(20 * time.Millisecond)
				top.RequestCheckAll()
				time.Sleep(time.Second)
				now := s.Description()
				if now.Type != description.RSPrimary || now.RTT != 10*time.Millisecond || now.MinRTT > 10*time.Millisecond {
					t.Errorf("%v, RTT %v, minimum %v, want 10ms", now.Type, now.RTT, now.MinRTT)
				}
			})
		})
	}
}

// A check that ends before an error and updates the topology after it must not bring the old times back.
func TestRoundTripTimesAreThoseOfTheUpdate(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].latency = 100 * time.Millisecond
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		time.Sleep(time.Minute)
		checked := *s.Description()
		if checked.RTT != 100*time.Millisecond || checked.MinRTT != 100*time.Millisecond {
			t.Errorf("RTT %v, minimum %v after a minute", checked.RTT, checked.MinRTT)
		}
		stepDown(t, s)
		s.monitor.report(checked)
		if now := s.Description(); now.Type != description.RSPrimary || now.RTT != 0 || now.MinRTT != 0 {
			t.Errorf("%v, RTT %v, minimum %v, want none yet", now.Type, now.RTT, now.MinRTT)
		}
	})
}

// Server Monitoring, "Measuring RTT": no dedicated connection while the monitor polls.
func TestConnectionForRoundTripsEndsWithTheStream(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		synctest.Wait()
		open := func() int {
			synctest.Wait()
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.servers["a:1"].open
		}
		for range 3 {
			if got := open(); got != 2 {
				t.Errorf("%d connections while the monitor streams, want 2", got)
			}
			d.change("a:1", func(s *fakeServer) { s.streams = false })
			if got := open(); got != 1 {
				t.Errorf("%d connections while the monitor polls, want 1", got)
			}
			_, before := d.count("a:1")
			time.Sleep(time.Minute)
			if _, after := d.count("a:1"); after-before > 6 {
				t.Errorf("%d hellos in a minute of polling, want 6", after-before)
			}
			d.change("a:1", func(s *fakeServer) { s.streams = true })
			time.Sleep(10 * time.Second) // the next poll notices
		}
	})
}
