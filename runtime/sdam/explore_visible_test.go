package sdam

import (
	"testing"

	"github.com/specdrivers/onion/generated/description"
)

// TestStatesThatLookAlikeBehaveAlike shows that the default run may merge states that differ only in facts that visible
// leaves out. Every input leads from such states to states that look alike again, with the same effects on pools and
// monitors.
func TestStatesThatLookAlikeBehaveAlike(t *testing.T) {
	type situation struct {
		before facts
		input  string
	}
	type outcome struct {
		after                         facts
		opened, closed, ready, clears int
	}
	w := newWorld(3, Model{Seeds: names[:3]})
	w.distinguishAll = true
	known := map[situation]outcome{}
	alike := 0
	step := func(m *Model, before description.Topology, in input) (description.Topology, Effects) {
		after, fx := applyInput(m, before, in)
		seen := situation{w.factsOf(&before).keepVisible(), in.name}
		got := outcome{w.factsOf(&after).keepVisible(), len(fx.Opened), len(fx.Closed), len(fx.Ready), len(fx.Clear)}
		if want, ok := known[seen]; !ok {
			known[seen] = got
		} else if alike++; got != want {
			t.Errorf("%s leads from %s to %s, and from a state that looks alike to another", in.name, Format(&before), Format(&after))
		}
		return after, fx
	}
	explore(w, 3, step)
	if alike < 1000 {
		t.Errorf("only %d comparisons", alike)
	}
	t.Logf("%d situations, %d comparisons", len(known), alike)
}
