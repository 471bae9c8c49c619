package topology

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

func TestNetworkErrorOfAnOperation(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		l.take()
		s.HandleError(c, fault.NetworkError{Err: errors.New("reset")})
		s.HandleError(c, fault.NetworkError{Err: errors.New("reset")}) // of a generation that is over
		if got := typeOf(top, "a:1"); got != description.ServerUnknown {
			t.Errorf("the server is %v", got)
		}
		synctest.Wait()
		want := []string{"server a:1 Unknown", "topology ReplicaSetNoPrimary", "pool cleared a:1 false", "heartbeat failed true"}
		if got := l.take(); !slices.Equal(got, want) {
			t.Errorf("events\n got %q\nwant %q", got, want)
		}
		c.Conn.Close()
		s.CheckIn(c)
		began := time.Now()
		selectWritable(t, top)
		if waited := time.Since(began); waited > 500*time.Millisecond {
			t.Errorf("the primary was found again after %v", waited)
		}
	})
}

// A pool is ready before an operation can choose its server.
//
// SDAM, "Why synchronize clearing a server's pool with updating the topology?".
func TestAPoolIsReadyBeforeItsServerCanBeChosen(t *testing.T) {
	var watched atomic.Pointer[Topology]
	readied := 0
	o := &options.Client{ServerMonitor: &event.ServerMonitor{}, PoolMonitor: &event.PoolMonitor{PoolReady: func(*event.PoolReady) {
		if top := watched.Load(); top != nil {
			readied++
			if got := typeOf(top, "a:1"); got != description.ServerUnknown {
				t.Errorf("the server is %v already", got)
			}
		}
	}}}
	runInBubble(t, standalone(), o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		watched.Store(top)
		s.HandleError(c, fault.NetworkError{Err: errors.New("reset")})
		s.CheckIn(c)
		if selectWritable(t, top); readied != 1 {
			t.Errorf("the pool was ready again %d times", readied)
		}
	})
}

func TestNetworkErrorOfAnOperationClosesAnIdleMonitorConnection(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the monitor sleeps between two polls
		s.HandleError(c, fault.NetworkError{Err: errors.New("reset")})
		s.CheckIn(c)
		selectWritable(t, top)
		if dials, _ := d.count("a:1"); dials != 2 {
			t.Errorf("%d dials, want 2", dials)
		}
	})
}

func TestFailedHandshakeOfAnOperation(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		s := selectWritable(t, top)
		d.change("a:1", func(s *fakeServer) { s.down = true })
		_, err := s.CheckOut(t.Context())
		if !fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) || s.Operations() != 0 {
			t.Errorf("CheckOut() = %v, %d operations", err, s.Operations())
		}
		if got := typeOf(top, "a:1"); got != description.Standalone {
			t.Errorf("an overloaded server became %v", got)
		}
	})
}

// Another operation may mark the server Unknown after this one has selected it.
func TestTypeOutlastsAnError(t *testing.T) {
	mongos := newFakeDeployment(map[string]*fakeServer{"a:1": {fields: bson.D{{Key: "msg", Value: "isdbgrid"}}}})
	tests := []struct {
		name   string
		d      *fakeDeployment
		want   description.ServerType
		router bool
	}{
		{"a primary", replicaSet("a:1"), description.RSPrimary, false},
		{"a mongos", mongos, description.Mongos, true},
		{"a standalone", standalone(), description.Standalone, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runInBubble(t, tt.d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
				s := selectWritable(t, top)
				breakOne(t, top)
				if typ := s.Description().Type; typ != description.ServerUnknown {
					t.Fatalf("the server is %v", typ)
				}
				if s.Type() != tt.want || s.IsRouter() != tt.router {
					t.Errorf("type %v, router %v", s.Type(), s.IsRouter())
				}
			})
		})
	}
}
