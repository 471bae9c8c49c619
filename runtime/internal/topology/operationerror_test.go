package topology

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

func TestNetworkErrorOfAnOperation(t *testing.T) {
	d := replicaSet("a:1")
	bubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
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

func TestNetworkErrorOfAnOperationClosesAnIdleMonitorConnection(t *testing.T) {
	d := standalone()
	bubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
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
	bubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, l *log) {
		s := selectWritable(t, top)
		d.change("a:1", func(s *fakeServer) { s.down = true })
		_, err := s.CheckOut(t.Context())
		if !fault.HasLabel(err, fault.LabelSystemOverloadedError) || s.Operations() != 0 {
			t.Errorf("CheckOut() = %v, %d operations", err, s.Operations())
		}
		if got := typeOf(top, "a:1"); got != description.Standalone {
			t.Errorf("an overloaded server became %v", got)
		}
	})
}
