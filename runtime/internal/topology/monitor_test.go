package topology

import (
	"bytes"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/uri"
)

func TestSlowServersHoldUpNobody(t *testing.T) {
	d := replicaSet("a:1", "b:1", "c:1")
	d.servers["b:1"].silent = true
	runInBubble(t, d, &options.Client{}, []string{"a:1", "b:1"}, func(t *testing.T, top *Topology, _ *log) {
		began := time.Now()
		if s := selectWritable(t, top); s.Address() != "a:1" {
			t.Errorf("selected %s", s.Address())
		}
		synctest.Wait()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the primary was found after %v, beside a server that does not answer", waited)
		}
		if typeOf(top, "b:1") != description.ServerUnknown || typeOf(top, "c:1") != description.RSSecondary {
			t.Errorf("topology %v", top.current.Load())
		}
	})
}

func TestMonitorsDoNotAuthenticate(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	first := make(chan []byte, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		message := make([]byte, 4096)
		n, _ := c.Read(message)
		first <- message[:n]
	}()
	cs, err := uri.Parse("mongodb://ada:secret@" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	credential, err := cs.Credential()
	if err != nil {
		t.Fatal(err)
	}
	authenticator, err := auth.New(credential, auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	top := New(Config{Hosts: cs.Hosts, Options: cs.Options, Auth: authenticator, Dialer: &conn.Dialer{}})
	top.Connect()
	hello := <-first
	if err := top.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if len(hello) == 0 {
		t.Fatal("the monitor said nothing")
	}
	for _, field := range []string{"saslSupportedMechs", "speculativeAuthenticate", "ada"} {
		if bytes.Contains(hello, []byte(field)) {
			t.Errorf("the hello of a monitor has %s", field)
		}
	}
}

func TestChecksOfAServerDoNotOverlap(t *testing.T) {
	d := standalone()
	d.servers["a:1"].latency = 3 * time.Second
	runInBubble(t, d, &options.Client{HeartbeatFrequency: new(time.Second)}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		for range 100 {
			top.RequestCheckAll()
			time.Sleep(100 * time.Millisecond)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if s := d.servers["a:1"]; s.mostAsking != 1 || s.hellos < 3 {
			t.Errorf("%d checks, %d at the same time", s.hellos, s.mostAsking)
		}
	})
}

func TestStreamedRepliesAreProcessedInOrder(t *testing.T) {
	members := []string{"a:1"}
	d := replicaSet(members...)
	o := &options.Client{HeartbeatFrequency: new(7 * time.Second)}
	runInBubble(t, d, o, members, func(t *testing.T, top *Topology, l *log) {
		selectWritable(t, top)
		synctest.Wait()
		l.take()
		for _, primary := range []bool{false, true, false} {
			d.change("a:1", func(s *fakeServer) { s.fields = memberFields(members, "a:1", primary, 1) })
			synctest.Wait()
		}
		want := []string{
			"heartbeat succeeded true", "server a:1 RSSecondary", "heartbeat started true",
			"heartbeat succeeded true", "server a:1 RSPrimary", "heartbeat started true",
			"heartbeat succeeded true", "server a:1 RSSecondary", "heartbeat started true",
		}
		if got := keepLines(l.take(), "heartbeat", "server"); !slices.Equal(got, want) {
			t.Errorf("events\n got %q\nwant %q", got, want)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if got := d.servers["a:1"].awaits; !slices.Equal(got, []time.Duration{7 * time.Second}) {
			t.Errorf("awaitable hellos %v, want one of heartbeatFrequencyMS, whose replies stream", got)
		}
	})
}

// A server that adds fields to its topologyVersion does not get them back: they may be of any size.
func TestTopologyVersionsAreSentWithTheirOwnFieldsOnly(t *testing.T) {
	members := []string{"a:1"}
	d := replicaSet(members...)
	d.servers["a:1"].streams = false
	version := bson.D{
		{Key: "processId", Value: bson.ObjectID{1}}, {Key: "more", Value: bson.Binary{Data: make([]byte, 17<<20)}},
		{Key: "counter", Value: 0},
	}
	d.servers["a:1"].fields = append(memberFields(members, "a:1", true, 1), bson.E{Key: "topologyVersion", Value: version})
	runInBubble(t, d, &options.Client{}, members, func(t *testing.T, top *Topology, l *log) {
		selectWritable(t, top)
		synctest.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
		sent := d.servers["a:1"].versions
		if len(sent) != 1 || len(sent[0]) > 64 || sent[0].Lookup("processId").IsZero() || sent[0].Lookup("counter").IsZero() {
			t.Fatalf("%d awaitable hellos", len(sent))
		}
	})
}

func TestChecksTimeOut(t *testing.T) {
	tests := []struct {
		name           string
		connectTimeout time.Duration
		streams        bool          // the server is silent only after the handshake
		want           time.Duration // since the beginning; 0 = never
	}{
		{"handshake", time.Second, false, time.Second},
		{"handshake without a limit", 0, false, 0},
		{"streamed reply", time.Second, true, 11 * time.Second},
		{"streamed reply without a limit", 0, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := replicaSet("a:1")
			d.servers["a:1"].silent = !tt.streams
			o := &options.Client{ConnectTimeout: &tt.connectTimeout}
			runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
				synctest.Wait()
				d.mu.Lock()
				d.servers["a:1"].silent = true // between two replies of the stream
				d.mu.Unlock()
				before := time.Hour
				if tt.want > 0 {
					before = tt.want - time.Nanosecond
				}
				time.Sleep(before)
				if got := keepLines(l.take(), "heartbeat failed"); len(got) != 0 {
					t.Fatalf("%q within %v", got, before)
				}
				if tt.want == 0 {
					return
				}
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				if got := keepLines(l.take(), "heartbeat failed"); len(got) != 1 {
					t.Errorf("%q after %v", got, tt.want)
				}
			})
		})
	}
}

func TestOnlyTheHandshakeOfAStreamingMonitorIsMeasured(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].latency = 100 * time.Millisecond
	d.servers["a:1"].onlyDials = 1 // no round-trip connection
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		selectWritable(t, top)
		for range 3 {
			if s, _ := top.Description().Server("a:1"); s.RTT != 100*time.Millisecond {
				t.Errorf("RTT %v, want that of the handshake", s.RTT)
			}
			time.Sleep(25 * time.Second) // replies of the stream take 10s each
		}
	})
}

func TestErrorsOfRoundTripsAreIgnored(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].onlyDials = 1
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		selectWritable(t, top)
		synctest.Wait()
		l.take()
		time.Sleep(time.Minute)
		if dials, _ := d.count("a:1"); dials < 5 {
			t.Errorf("%d dials, want tries to measure", dials)
		}
		if got := keepLines(l.take(), "heartbeat failed", "server", "topology", "pool"); len(got) != 0 || typeOf(top, "a:1") != description.RSPrimary {
			t.Errorf("events %q", got)
		}
	})
}

// Server Monitoring, "Measuring RTT": a ping every heartbeatFrequencyMS. One that fails is no sample, and the next
// opens another connection.
func TestRoundTripsAreMeasuredAtTheFrequency(t *testing.T) {
	const latency = 100 * time.Millisecond
	d := replicaSet("a:1")
	d.servers["a:1"].latency = latency
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		time.Sleep(5 * time.Second)
		dialsBefore, before := d.count("a:1")
		d.mu.Lock()
		d.servers["a:1"].cuts = 2
		d.mu.Unlock()
		time.Sleep(5 * options.DefaultHeartbeatFrequency)
		synctest.Wait()
		dials, after := d.count("a:1")
		if dials -= dialsBefore; dials != 2 {
			t.Errorf("%d connections after 2 were cut off", dials)
		}
		// The stream brings a reply each time. Of five pings, two are cut off; each of these is followed by a
		// handshake.
		if hellos := after - before; hellos < 7 || hellos > 8 {
			t.Errorf("%d replies in five periods", hellos)
		}
		if s, _ := top.Description().Server("a:1"); s.RTT != latency || s.MinRTT != latency {
			t.Errorf("RTT %v, at least %v", s.RTT, s.MinRTT)
		}
	})
}

func TestCloseInterruptsChecks(t *testing.T) {
	for _, silent := range []bool{true, false} {
		d := replicaSet("a:1")
		d.servers["a:1"].silent = silent
		runInBubble(t, d, &options.Client{ConnectTimeout: new(time.Duration(0))}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
			synctest.Wait()
			began := time.Now()
			if err := top.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if waited := time.Since(began); waited != 0 {
				t.Errorf("Close took %v with a server that is silent: %v", waited, silent)
			}
		})
	}
}

func TestStateChangeErrorsAskForACheck(t *testing.T) {
	d := replicaSet("a:1")
	mode := options.MonitorPoll
	runInBubble(t, d, &options.Client{ServerMonitoringMode: &mode}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		_, before := d.count("a:1")
		reply, err := bson.Marshal(bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 10107}})
		if err != nil {
			t.Fatal(err)
		}
		s.HandleError(c, fault.NewCommandError("insert", "a:1", reply))
		s.CheckIn(c)
		synctest.Wait()
		if _, after := d.count("a:1"); after != before+1 {
			t.Errorf("%d checks at once, want 1", after-before)
		}
	})
}
