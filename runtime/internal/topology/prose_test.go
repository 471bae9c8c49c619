package topology

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// The prose tests of SDAM, server selection, max staleness and CMAP that need no operations, in virtual time. Where the
// prose is loose about a limit, the limit here is exact.

// kinds returns the deployments that the prose asks for.
func kinds() map[string]func() *fakeDeployment {
	return map[string]func() *fakeDeployment{
		"standalone":  standalone,
		"replica set": func() *fakeDeployment { return replicaSet("a:1") },
		"sharded": func() *fakeDeployment {
			return newFakeDeployment(map[string]*fakeServer{"a:1": {streams: true, fields: bson.D{{Key: "msg", Value: "isdbgrid"}}}})
		},
	}
}

// SDAM, "Streaming protocol Tests", 1; Max Staleness, "heartbeatFrequencyMS is configurable".
func TestProseHeartbeatFrequencyIsConfigurable(t *testing.T) {
	for name, deployment := range kinds() {
		t.Run(name, func(t *testing.T) {
			o := &options.Client{HeartbeatFrequency: new(500 * time.Millisecond)}
			runInBubble(t, deployment(), o, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
				selectWritable(t, top)
				synctest.Wait()
				l.take()
				time.Sleep(10*time.Second + time.Millisecond)
				synctest.Wait()
				if n := len(keepLines(l.take(), "heartbeat succeeded")); n != 20 {
					t.Errorf("%d replies in 10s, want one every 500ms", n)
				}
			})
		})
	}
}

// SDAM, "RTT Tests", 1.
func TestProseRTTIsContinuouslyUpdated(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].latency = time.Millisecond
	var unmeasured int
	o := &options.Client{
		HeartbeatFrequency: new(500 * time.Millisecond),
		ServerMonitor: &event.ServerMonitor{ServerDescriptionChanged: func(e *event.ServerDescriptionChanged) {
			if e.NewDescription.RTT == 0 {
				unmeasured++
			}
		}},
	}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		time.Sleep(2 * time.Second)
		if unmeasured > 0 {
			t.Errorf("%d descriptions without a round-trip time", unmeasured)
		}
		d.change("a:1", func(s *fakeServer) { s.latency = 500 * time.Millisecond })
		time.Sleep(10 * time.Second)
		if s, _ := top.Description().Server("a:1"); s.RTT <= 250*time.Millisecond {
			t.Errorf("RTT %v after 10s of 500ms each", s.RTT)
		}
	})
}

// SDAM, "Heartbeat Tests", 1, over a real socket.
func TestProseHeartbeatStartsBeforeTheSocket(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &log{}
	var wg sync.WaitGroup
	wg.Go(func() { hangUpAfterHello(listener, l) })
	failed := make(chan struct{}, 1)
	o := &options.Client{ServerMonitor: &event.ServerMonitor{
		ServerHeartbeatStarted: func(*event.ServerHeartbeatStarted) { l.add("heartbeat started") },
		ServerHeartbeatFailed: func(*event.ServerHeartbeatFailed) {
			l.add("heartbeat failed")
			select {
			case failed <- struct{}{}:
			default:
			}
		},
	}}
	top := New(Config{Hosts: []string{listener.Addr().String()}, Options: o, Dialer: &conn.Dialer{}})
	top.Connect()
	<-failed
	if err := top.Close(t.Context()); err != nil {
		t.Error(err)
	}
	listener.Close()
	wg.Wait()
	want := []string{"heartbeat started", "client connected", "client hello received", "heartbeat failed"}
	if got := l.take(); !slices.Equal(got[:len(want)], want) {
		t.Errorf("order %q, want %q first", got, want)
	}
}

// hangUpAfterHello accepts connections, one after the other, and closes each at its first message.
func hangUpAfterHello(listener net.Listener, l *log) {
	for {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		l.add("client connected")
		if _, err := c.Read(make([]byte, 1024)); err == nil {
			l.add("client hello received")
		}
		c.Close()
	}
}

// SDAM, "Monitors sleep at least minHeartbeatFrequencyMS between checks".
func TestProseMonitorsSleepMinHeartbeatFrequency(t *testing.T) {
	d := standalone()
	d.servers["a:1"].failures = 5
	o := &options.Client{DirectConnection: new(true), ServerSelectionTimeout: new(5 * time.Second)}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		began := time.Now()
		if _, err := top.SelectServer(t.Context(), &Request{Operation: "ping"}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != 2500*time.Millisecond {
			t.Errorf("the server was found after %v, want five pauses of 500ms", waited)
		}
	})
}

// SDAM, "Connection Pool Management".
func TestProsePoolsFollowTheMonitor(t *testing.T) {
	d := standalone()
	o := &options.Client{DirectConnection: new(true), HeartbeatFrequency: new(500 * time.Millisecond)}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		synctest.Wait()
		want := []string{"heartbeat succeeded false", "pool ready a:1"}
		if got := keepLines(l.take(), "heartbeat succeeded", "heartbeat failed", "pool"); !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
		d.change("a:1", func(s *fakeServer) { s.failures = 2 })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want = []string{
			"heartbeat failed false", "pool cleared a:1 false", "heartbeat failed false", "heartbeat succeeded false", "pool ready a:1",
		}
		got := keepLines(l.take(), "heartbeat succeeded", "heartbeat failed", "pool")
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("events %q, want %q first", got, want)
		}
	})
}

// SDAM, "Connection Pool Backpressure": many connections at once. The server drops most of them during the hello or,
// with TLS, during the handshake before it.
func TestProseStormsOfConnectionsDoNotClearThePool(t *testing.T) {
	for _, doing := range []string{"reading a reply from", "the TLS handshake with"} {
		t.Run(doing, func(t *testing.T) {
			d := standalone()
			var failed, cleared int
			o := &options.Client{MaxConnecting: new(100)}
			l := &log{}
			l.listen(o)
			o.PoolMonitor.ConnectionCheckOutFailed = func(e *event.ConnectionCheckOutFailed) {
				l.add("check-out failed %s", e.Reason)
			}
			runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
				s := selectWritable(t, top)
				d.change("a:1", func(s *fakeServer) { s.refusesFrom, s.refusal = 21, doing })
				storm(t, s, 100)
				for _, line := range l.take() {
					switch {
					case strings.HasPrefix(line, "check-out failed connectionError"):
						failed++
					case strings.HasPrefix(line, "pool cleared"):
						cleared++
					}
				}
				if failed != 80 || cleared != 0 || typeOf(top, "a:1") != description.Standalone {
					t.Errorf("%d check-outs failed and %d clears, the server is %v", failed, cleared, typeOf(top, "a:1"))
				}
			})
		})
	}
}

// storm checks n connections out at the same time and holds each for two seconds.
func storm(t *testing.T, s *Server, n int) {
	done := make(chan struct{})
	for range n {
		go func() {
			defer func() { done <- struct{}{} }()
			c, err := s.CheckOut(t.Context())
			if err != nil {
				return
			}
			time.Sleep(2 * time.Second)
			s.CheckIn(c)
		}()
	}
	for range n {
		<-done
	}
}

// Server Selection, "Prose Test": a mongos that answers slowly gets fewer operations, two equal ones get the same.
func TestProseOperationCountsBalanceTheLoad(t *testing.T) {
	mongos := func() *fakeServer { return &fakeServer{fields: bson.D{{Key: "msg", Value: "isdbgrid"}}} }
	d := newFakeDeployment(map[string]*fakeServer{"a:1": mongos(), "b:1": mongos()})
	o := &options.Client{LocalThreshold: new(30 * time.Second)}
	runInBubble(t, d, o, []string{"a:1", "b:1"}, func(t *testing.T, top *Topology, _ *log) {
		synctest.Wait()
		slow := map[string]time.Duration{"a:1": 500 * time.Millisecond, "b:1": 5 * time.Millisecond}
		if share := shareOf(t, top, "a:1", 10, slow); share >= 0.25 {
			t.Errorf("the slow mongos got %.0f%% of the operations, want less than 25%%", 100*share)
		}
		equal := map[string]time.Duration{"a:1": 5 * time.Millisecond, "b:1": 5 * time.Millisecond}
		if share := shareOf(t, top, "a:1", 100, equal); share < 0.4 || share > 0.6 {
			t.Errorf("one of two equal mongos got %.0f%% of the operations, want 40%% to 60%%", 100*share)
		}
	})
}

// shareOf runs operations on ten goroutines and returns the share of them that a server got.
func shareOf(t *testing.T, top *Topology, address string, each int, takes map[string]time.Duration) float64 {
	counts := make(chan int)
	for range 10 {
		go func() {
			n := 0
			defer func() { counts <- n }()
			for range each {
				s, err := top.SelectServer(t.Context(), &Request{Operation: "find"})
				if err != nil {
					t.Error(err)
					return
				}
				c, err := s.CheckOut(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(takes[s.Address()])
				s.CheckIn(c)
				if s.Address() == address {
					n++
				}
			}
		}()
	}
	total := 0
	for range 10 {
		total += <-counts
	}
	return float64(total) / float64(10*each)
}

// Server Selection, "Application-Provided Server Selector".
func TestProseCustomSelectorChoosesTheHighestPort(t *testing.T) {
	highest := func(_ *description.Topology, suitable []*description.Server) []*description.Server {
		return []*description.Server{slices.MaxFunc(suitable, func(a, b *description.Server) int {
			return strings.Compare(a.Address, b.Address)
		})}
	}
	d := replicaSet("a:1", "a:2", "a:3")
	runInBubble(t, d, &options.Client{ServerSelector: highest}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		synctest.Wait()
		nearest := &Request{Operation: "find", ReadPreference: &options.ReadPreference{Mode: options.Nearest}}
		for range 10 {
			s, err := top.SelectServer(t.Context(), nearest)
			if err != nil || s.Address() != "a:3" {
				t.Fatalf("selected %v, %v", s, err)
			}
		}
	})
}

// Max Staleness, "Parse lastWriteDate".
func TestProseLastWriteDateIsParsed(t *testing.T) {
	d := replicaSet("a:1")
	wrote := func(at time.Time) func(*fakeServer) {
		return func(s *fakeServer) {
			lastWrite := bson.D{{Key: "lastWriteDate", Value: at}}
			s.fields = append(memberFields([]string{"a:1"}, "a:1", true, 1), bson.E{Key: "lastWrite", Value: lastWrite})
		}
	}
	o := &options.Client{HeartbeatFrequency: new(500 * time.Millisecond)}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		lastWrite := func() time.Time {
			s, _ := top.Description().Server("a:1")
			return s.LastWriteDate
		}
		d.change("a:1", wrote(time.Now()))
		time.Sleep(time.Second)
		first := lastWrite()
		time.Sleep(time.Second)
		d.change("a:1", func(s *fakeServer) { s.latency = 100 * time.Millisecond }) // SDAM, "lastWriteDate and opTime": drivers do not compensate for latency
		exactly := time.Now().Truncate(time.Millisecond)
		d.change("a:1", wrote(exactly))
		time.Sleep(time.Second)
		if second := lastWrite(); first.IsZero() || second.Sub(first) != 2*time.Second || !second.Equal(exactly) {
			t.Errorf("lastWriteDate %v, then %v: want %v, two seconds between them", first, second, exactly)
		}
	})
}

// CMAP, "Prose Tests", 5.
func TestProseFailedEstablishmentFailsTheCheckOut(t *testing.T) {
	d := standalone()
	o := &options.Client{ServerMonitor: &event.ServerMonitor{}}
	var failures []event.ConnectionCheckOutFailed
	o.PoolMonitor = &event.PoolMonitor{ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
		failures = append(failures, *e)
	}}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		d.change("a:1", func(s *fakeServer) { s.down = true })
		_, err := s.CheckOut(t.Context())
		if len(failures) != 1 || failures[0].Reason != event.CheckOutFailedConnectionError ||
			!errors.Is(err, syscall.ECONNREFUSED) || failures[0].Error.Error() != err.Error() {
			t.Errorf("CheckOut() = %v, events %v", err, failures)
		}
	})
}

// CMAP, "Prose Tests", 1 and 2: every pool of a client has the options of the client.
func TestProsePoolsShareTheOptionsOfTheClient(t *testing.T) {
	var pools []event.PoolCreated
	o := &options.Client{
		MaxPoolSize: new(7), MinPoolSize: new(1), MaxConnecting: new(3), MaxIdleTime: new(time.Minute), WaitQueueTimeout: new(time.Second),
		ServerMonitor: &event.ServerMonitor{},
		PoolMonitor:   &event.PoolMonitor{PoolCreated: func(e *event.PoolCreated) { pools = append(pools, *e) }},
	}
	runInBubble(t, replicaSet("a:1", "b:1", "c:1"), o, []string{"a:1"}, func(t *testing.T, _ *Topology, _ *log) {
		synctest.Wait()
		want := event.PoolOptions{
			MaxPoolSize: o.MaxPoolSize, MinPoolSize: o.MinPoolSize, MaxConnecting: o.MaxConnecting,
			MaxIdleTime: o.MaxIdleTime, WaitQueueTimeout: o.WaitQueueTimeout,
		}
		if len(pools) != 3 {
			t.Fatalf("%d pools, want 3", len(pools))
		}
		for _, created := range pools {
			if created.Options != want {
				t.Errorf("the pool of %s has other options", created.Address)
			}
		}
	})
}
