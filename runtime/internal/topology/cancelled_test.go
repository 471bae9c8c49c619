package topology

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// breakOne makes an operation hit a network error.
func breakOne(t *testing.T, top *Topology) {
	t.Helper()
	s := selectWritable(t, top)
	c, err := s.CheckOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.HandleError(c, fault.NetworkError{Err: errors.New("reset")})
	c.Conn.Close()
	s.CheckIn(c)
}

func TestServerIsKnownAgainAtOnceAfterABrokenConnection(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		time.Sleep(3 * time.Second) // the last check ended long ago
		synctest.Wait()
		began := time.Now()
		breakOne(t, top)
		selectWritable(t, top)
		if waited := time.Since(began); waited != selecttable.PauseAfterCancelledCheck {
			t.Errorf("the primary was found again after %v", waited)
		}
	})
}

func TestMonitorConnectsOncePer500MSHoweverOftenOperationsFail(t *testing.T) {
	d := replicaSet("a:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		before, _ := d.count("a:1")
		began := time.Now()
		for range 20 {
			breakOne(t, top)
			synctest.Wait()
		}
		after, _ := d.count("a:1")
		if dials, allowed := after-before, int(time.Since(began)/(500*time.Millisecond))+1; dials > allowed {
			t.Errorf("%d connections in %v, at most %d are allowed", dials, time.Since(began), allowed)
		}
	})
}

// A failed operation has marked the server Unknown, so a check that fails after that is not repeated at once.
func TestAFailedDialAfterABrokenConnectionIsNotRepeatedAtOnce(t *testing.T) {
	d := standalone()
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		synctest.Wait()
		before, _ := d.count("a:1")
		d.change("a:1", func(s *fakeServer) { s.onlyDials = before })
		breakOne(t, top)
		time.Sleep(options.DefaultHeartbeatFrequency + time.Millisecond)
		synctest.Wait()
		if after, _ := d.count("a:1"); after != before+1 {
			t.Errorf("%d attempts to connect, want 1", after-before)
		}
	})
}
