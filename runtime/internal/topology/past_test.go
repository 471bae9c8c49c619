package topology

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
)

// The topology remembers since when it and its servers have their types, the last error, and how often the types have
// changed.
func TestThePastOfATopology(t *testing.T) {
	members := []string{"a:1", "b:1"}
	d := replicaSet(members...)
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		began := time.Now()
		a := selectWritable(t, top)
		synctest.Wait()
		if !top.TypeSince().Equal(began) || !a.TypeSince().Equal(began) {
			t.Errorf("the topology since %v, the server since %v, want %v", top.TypeSince(), a.TypeSince(), began)
		}
		if at, err := a.LastError(); err != nil || !at.IsZero() {
			t.Errorf("an error %v at %v", err, at)
		}
		before := top.Changes()
		time.Sleep(time.Minute)
		synctest.Wait()
		if top.Changes() != before || !a.TypeSince().Equal(began) {
			t.Errorf("%d changes although nothing happened, the server since %v", top.Changes()-before, a.TypeSince())
		}
		lost := time.Now()
		d.change("a:1", func(s *fakeServer) { s.down = true })
		synctest.Wait()
		at, err := a.LastError()
		if err == nil || !at.Equal(lost) || !a.TypeSince().Equal(lost) || !top.TypeSince().Equal(lost) {
			t.Errorf("the error %v at %v, the server since %v, the topology since %v, want %v", err, at, a.TypeSince(), top.TypeSince(), lost)
		}
		if got := top.Changes() - before; got != 1 {
			t.Errorf("%d changes, want 1", got)
		}
		time.Sleep(5 * time.Second)
		back := time.Now()
		d.change("a:1", func(s *fakeServer) { s.down = false })
		for typeOf(top, "a:1") != description.RSPrimary {
			time.Sleep(time.Millisecond)
		}
		if late, kept := a.LastError(); kept == nil || late.Before(lost) || late.After(back.Add(11*time.Second)) {
			t.Errorf("after the recovery: the error %v at %v", kept, late)
		}
		if a.TypeSince().Before(back) || !top.TypeSince().Equal(a.TypeSince()) {
			t.Errorf("recovered at %v, the server since %v, the topology since %v", back, a.TypeSince(), top.TypeSince())
		}
		if got := top.Changes() - before; got != 2 {
			t.Errorf("%d changes, want 2", got)
		}
		d.change("a:1", func(s *fakeServer) { s.fields = memberFields(members[:1], "a:1", true, 1) })
		synctest.Wait()
		if got := top.Changes() - before; got != 3 || len(top.Description().Servers) != 1 {
			t.Errorf("%d changes after a server has left, want 3", got)
		}
	})
}
