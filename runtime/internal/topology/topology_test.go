package topology

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

func selectWritable(t *testing.T, top *Topology) *Server {
	t.Helper()
	s, err := top.SelectServer(t.Context(), &Request{Operation: "insert", Write: true})
	if err != nil {
		t.Fatalf("SelectServer() failed: %v", err)
	}
	return s
}

func typeOf(top *Topology, address string) description.ServerType {
	s, ok := top.Description().Server(address)
	if !ok {
		return 255
	}
	return s.Type
}

func TestDiscoveryFollowsAnElectionAtOnce(t *testing.T) {
	members := []string{"a:1", "b:1", "c:1"}
	d := replicaSet(members...)
	runInBubble(t, d, &options.Client{}, []string{"c:1"}, func(t *testing.T, top *Topology, l *log) {
		if s := selectWritable(t, top); s.Address() != "a:1" {
			t.Fatalf("selected %s", s.Address())
		}
		synctest.Wait()
		if n := len(top.Description().Servers); n != 3 {
			t.Fatalf("%d servers", n)
		}
		began := time.Now()
		d.change("a:1", func(s *fakeServer) { s.fields = memberFields(members, "a:1", false, 0) })
		d.change("b:1", func(s *fakeServer) { s.fields = memberFields(members, "b:1", true, 2) })
		synctest.Wait()
		if typeOf(top, "a:1") != description.RSSecondary || typeOf(top, "b:1") != description.RSPrimary {
			t.Errorf("topology %v", top.current.Load())
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("streaming took %v", waited)
		}
	})
}

func TestOpeningAndClosingEvents(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{DirectConnection: new(true)}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		synctest.Wait()
		want := []string{
			"topology opening", "topology Single", "server opening a:1", "heartbeat started false", "heartbeat succeeded false",
			"pool ready a:1", "server a:1 Standalone", "topology Single",
		}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("opening\n got %q\nwant %q", got, want)
		}
		if err := top.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		want = []string{"server closed a:1", "topology Unknown", "topology closed"}
		if got := keepLines(l.take(), "server", "topology", "heartbeat"); !slices.Equal(got, want) {
			t.Errorf("closing\n got %q\nwant %q", got, want)
		}
		if _, err := top.SelectServer(t.Context(), &Request{}); err != fault.ErrClientClosed {
			t.Errorf("SelectServer() after Close = %v", err)
		}
	})
}

func TestPollingKeepsTheFrequencies(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{HeartbeatFrequency: new(5 * time.Second)}, []string{"a:1"},
		func(t *testing.T, top *Topology, l *log) {
			time.Sleep(12 * time.Second)
			if dials, hellos := d.count("a:1"); dials != 1 || hellos != 3 {
				t.Errorf("%d dials and %d hellos in 12s, want 1 and 3: no round trip connection when polling", dials, hellos)
			}
			for range 10 {
				top.RequestCheckAll() // at 12s: the last check was at 10s
			}
			synctest.Wait()
			if _, hellos := d.count("a:1"); hellos != 4 {
				t.Errorf("%d hellos after a request, want 4", hellos)
			}
			top.RequestCheckAll()
			time.Sleep(499 * time.Millisecond)
			if _, hellos := d.count("a:1"); hellos != 4 {
				t.Error("a check came less than 500ms after another")
			}
			time.Sleep(2 * time.Millisecond)
			if _, hellos := d.count("a:1"); hellos != 5 {
				t.Error("the second request was lost")
			}
		})
}

func TestStreamingMeasuresRoundTripsOnItsOwnConnection(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		selectWritable(t, top)
		synctest.Wait()
		l.take()
		d.change("a:1", func(s *fakeServer) { s.latency = 100 * time.Millisecond })
		time.Sleep(35 * time.Second)
		if dials, _ := d.count("a:1"); dials != 2 {
			t.Errorf("%d dials, want 2: monitor and round trips", dials)
		}
		s, _ := top.Description().Server("a:1")
		if s.RTT <= 0 || s.RTT > 100*time.Millisecond {
			t.Errorf("RTT %v", s.RTT)
		}
		for _, line := range keepLines(l.take(), "heartbeat") {
			if !strings.HasSuffix(line, "true") {
				t.Errorf("the round trips published %q", line)
			}
		}
	})
}

func TestPollModeDoesNotStream(t *testing.T) {
	d := replicaSet("a:1")
	mode := options.MonitorPoll
	runInBubble(t, d, &options.Client{ServerMonitoringMode: &mode}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		time.Sleep(25 * time.Second)
		for _, line := range keepLines(l.take(), "heartbeat") {
			if !strings.HasSuffix(line, "false") {
				t.Errorf("published %q", line)
			}
		}
		if dials, _ := d.count("a:1"); dials != 1 {
			t.Errorf("%d dials, want 1", dials)
		}
	})
}

func TestNetworkErrorOfACheckIsTriedAgainAtOnce(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{DirectConnection: new(true)}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		synctest.Wait()
		d.change("a:1", func(s *fakeServer) { s.down = true })
		l.take()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		want := []string{
			"heartbeat started false", "heartbeat failed false", "server a:1 Unknown", "topology Single", "pool cleared a:1 false",
			"heartbeat started false", "heartbeat failed false",
		}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("events\n got %q\nwant %q", got, want)
		}
		d.change("a:1", func(s *fakeServer) { s.down = false })
		began := time.Now()
		selectWritable(t, top) // asks for a check
		if waited := time.Since(began); waited > 500*time.Millisecond {
			t.Errorf("the server was found after %v", waited)
		}
	})
}

// Server Monitoring, "Network or command error during server check", steps 1 to 3 and 5.
func TestErrorOfTheServerInACheckIsNotTriedAgainAtOnce(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{DirectConnection: new(true)}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		synctest.Wait()
		d.change("a:1", func(s *fakeServer) { s.failures = 1 })
		before, _ := d.count("a:1")
		l.take()
		time.Sleep(options.DefaultHeartbeatFrequency)
		synctest.Wait()
		want := []string{"heartbeat started false", "heartbeat failed false", "server a:1 Unknown", "topology Single", "pool cleared a:1 false"}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("events\n got %q\nwant %q", got, want)
		}
		d.mu.Lock()
		open := d.servers["a:1"].open
		d.mu.Unlock()
		if open != 0 {
			t.Errorf("%d monitoring connections stay open", open)
		}
		time.Sleep(options.DefaultHeartbeatFrequency)
		synctest.Wait()
		if after, _ := d.count("a:1"); after != before+1 || typeOf(top, "a:1") != description.Standalone {
			t.Errorf("%d new connections, server %v", after-before, typeOf(top, "a:1"))
		}
	})
}

func TestCheckThatTimesOutInterruptsConnectionsInUse(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{ConnectTimeout: new(time.Second)}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.change("a:1", func(s *fakeServer) { s.silent = true })
		time.Sleep(11*time.Second + time.Millisecond)
		if !c.WasInterrupted() {
			t.Error("the connection was not interrupted")
		}
		if got := keepLines(l.take(), "pool cleared"); !slices.Equal(got, []string{"pool cleared a:1 true"}) {
			t.Errorf("events %q", got)
		}
		if s.Operations() != 1 {
			t.Errorf("%d operations", s.Operations())
		}
		s.CheckIn(c)
		if s.Operations() != 0 {
			t.Errorf("%d operations", s.Operations())
		}
	})
}

func TestCloseEndsOperationsInFlight(t *testing.T) {
	runInBubble(t, standalone(), &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		top.Close(t.Context())
		if !c.Conn.IsBroken() {
			t.Error("the connection in use was not closed")
		}
		if _, ok := errors.AsType[fault.PoolClosedError](c.Fault(errors.New("closed"))); !ok {
			t.Errorf("Fault() = %v", c.Fault(errors.New("closed")))
		}
		s.CheckIn(c)
	})
}

func TestRemovedServerIsForgotten(t *testing.T) {
	d := replicaSet("a:1", "b:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		synctest.Wait()
		gone := top.current.Load().servers["b:1"]
		l.take()
		d.change("a:1", func(s *fakeServer) { s.fields = memberFields([]string{"a:1"}, "a:1", true, 1) })
		synctest.Wait()
		if got := keepLines(l.take(), "server closed", "pool closed"); !slices.Equal(got, []string{"server closed b:1", "pool closed b:1"}) {
			t.Errorf("events %q", got)
		}
		if _, err := gone.CheckOut(t.Context()); err == nil {
			t.Error("a connection to a removed server was checked out")
		}
		if gone.Description().Type != description.ServerUnknown {
			t.Error("a removed server is known")
		}
		_, before := d.count("b:1")
		time.Sleep(time.Minute)
		if _, after := d.count("b:1"); after != before {
			t.Error("a removed server is still checked")
		}
	})
}

func TestLoadBalancedHasNoMonitor(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{LoadBalanced: new(true)}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		s := selectWritable(t, top)
		if !s.IsRouter() {
			t.Error("a load balancer is a router")
		}
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.HandleError(c, fault.NetworkError{Err: errors.New("reset")})
		if c.Conn.Close(); c.ServiceID() == nil {
			t.Error("no service")
		}
		s.CheckIn(c)
		want := []string{
			"topology opening", "topology LoadBalanced", "server opening a:1", "server a:1 LoadBalancer", "topology LoadBalanced",
			"pool cleared a:1 false",
		}
		if got := keepLines(l.take(), "topology", "server", "pool cleared"); !slices.Equal(got, want) {
			t.Errorf("events\n got %q\nwant %q", got, want)
		}
		time.Sleep(time.Minute) // a monitor would have begun
		if dials, _ := d.count("a:1"); dials != 0 {
			t.Errorf("%d monitoring connections", dials)
		}
	})
}

func TestListenerPanicsAreSurvived(t *testing.T) {
	d := standalone()
	o := &options.Client{
		ServerMonitor: &event.ServerMonitor{
			ServerHeartbeatStarted:     func(*event.ServerHeartbeatStarted) { panic("heartbeat") },
			TopologyDescriptionChanged: func(*event.TopologyDescriptionChanged) { panic("topology") },
		},
		PoolMonitor: &event.PoolMonitor{ConnectionCheckedOut: func(*event.ConnectionCheckedOut) { panic("pool") }},
	}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.CheckIn(c)
	})
}

func TestStaleTopologyVersionDoesNotWin(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reply, err := bson.Marshal(bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 10107}, {Key: "topologyVersion", Value: bson.D{
			{Key: "processId", Value: bson.ObjectID{1}}, {Key: "counter", Value: int64(0)},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		s.HandleError(c, fault.NewCommandError("insert", "a:1", reply))
		if got := typeOf(top, "a:1"); got != description.RSPrimary {
			t.Errorf("the server became %v", got)
		}
		s.CheckIn(c)
	})
}
