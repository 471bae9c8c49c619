package topology

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// SDAM, "Client construction": a topology does no I/O before Connect.
func TestATopologyThatIsNotConnectedDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, r := standalone(), &fakeResolver{targets: []string{"a.example.com"}}
		top := New(Config{
			Hosts: []string{"a:1"}, Options: &options.Client{MinPoolSize: new(1)}, SRVName: "c.example.com", SRVService: "mongodb",
			Resolver: r, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		if dials, hellos := d.count("a:1"); dials != 0 || hellos != 0 || d.servers["a:1"].connects != 0 || r.count() != 0 {
			t.Errorf("%d dials, %d hellos, %d connections, %d look-ups", dials, hellos, d.servers["a:1"].connects, r.count())
		}
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// SDAM, "Connection Pool Management": a pool is cleared under the lock for changes of the description.
func TestPoolsAreClearedTogetherWithTheDescription(t *testing.T) {
	var top atomic.Pointer[Topology]
	var cleared atomic.Int64
	o := &options.Client{ServerMonitor: &event.ServerMonitor{}, PoolMonitor: &event.PoolMonitor{PoolCleared: func(*event.PoolCleared) {
		cleared.Add(1)
		select {
		case top.Load().turn <- struct{}{}:
			<-top.Load().turn
			t.Error("another change of the description could overtake the clearing")
		default:
		}
	}}}
	d := standalone()
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, connected *Topology, _ *log) {
		top.Store(connected)
		selectWritable(t, connected)
		d.change("a:1", func(s *fakeServer) { s.down = true })
		time.Sleep(time.Minute)
		if cleared.Load() == 0 {
			t.Error("the pool was not cleared")
		}
	})
}

// Server Selection, "operationCount": the end of an operation does not change the topology, so waiting searches do not
// look again.
func TestEndsOfOperationsWakeNobody(t *testing.T) {
	var looks atomic.Int64
	o := &options.Client{
		HeartbeatFrequency: new(time.Hour), ServerSelectionTimeout: new(time.Minute),
		ServerSelector: func(_ *description.Topology, _ []*description.Server) []*description.Server {
			looks.Add(1)
			return nil // no server will do
		},
	}
	d := newFakeDeployment(map[string]*fakeServer{"a:1": {fields: memberFields([]string{"a:1"}, "a:1", false, 0)}})
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		synctest.Wait()
		done := make(chan error)
		go func() {
			nearest := &options.ReadPreference{Mode: options.Nearest}
			_, err := top.SelectServer(context.Background(), &Request{Operation: "find", ReadPreference: nearest})
			done <- err
		}()
		time.Sleep(10*time.Second + 250*time.Millisecond) // between two of the checks that the search asks for
		before := looks.Load()
		s := top.Servers()[0]
		for range 3 {
			c, err := s.CheckOut(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			s.CheckIn(c)
			synctest.Wait()
		}
		if n := looks.Load() - before; n != 0 || before == 0 {
			t.Errorf("the search has looked %d times, and %d times more for operations", before, n)
		}
		if <-done == nil {
			t.Error("a server was found")
		}
	})
}

// slowResolver answers no question before its context ends.
type slowResolver struct {
	fakeResolver
	asked chan struct{}
}

func (r *slowResolver) LookupSRVWithTTL(ctx context.Context, _, _, _ string) ([]*net.SRV, time.Duration, error) {
	close(r.asked)
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

// Polling SRV Records, "Multi-Threaded Drivers": a slow look-up delays nothing, not even Close.
func TestSlowLookUpsHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDeployment(map[string]*fakeServer{"a:1": {fields: bson.D{{Key: "msg", Value: "isdbgrid"}}}})
		r := &slowResolver{asked: make(chan struct{})}
		top := New(Config{
			Hosts: []string{"a:1"}, Options: &options.Client{HeartbeatFrequency: new(time.Hour)}, SRVName: "c.example.com", SRVService: "mongodb",
			Resolver: r, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		<-r.asked
		began := time.Now()
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.HandleError(c, refusedError("a:1")) // a change of the description
		s.CheckIn(c)
		synctest.Wait()
		selectWritable(t, top)
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited >= time.Second {
			t.Errorf("it took %v", waited)
		}
	})
}
