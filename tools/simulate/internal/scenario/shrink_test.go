package scenario

import (
	"slices"
	"testing"
	"time"
)

// TestShrinkKeepsWhatIsNeeded finds its faults by their kind and its operations by what they do, because tidying up renumbers workers
// and clients and moves everything to the front.
func TestShrinkKeepsWhatIsNeeded(t *testing.T) {
	s := Generate(3)
	faults := []Fault{s.Faults[2], s.Faults[len(s.Faults)-1]}
	op := s.Ops[len(s.Ops)/2]
	same := func(a, b Fault) bool {
		return a.Kind == b.Kind && a.Node == b.Node && a.For == b.For && a.N == b.N && a.Wait == b.Wait
	}
	has := func(s *Scenario) bool {
		for _, want := range faults {
			if !slices.ContainsFunc(s.Faults, func(f Fault) bool { return same(f, want) }) {
				return false
			}
		}
		return slices.ContainsFunc(s.Ops, func(o Op) bool { return o.Timeout == op.Timeout && o.Kind == op.Kind })
	}
	small := Shrink(s, 100_000, has)
	if !has(small) || len(small.Faults) != 2 || len(small.Ops) != 1 {
		t.Fatalf("%d faults and %d operations are left", len(small.Faults), len(small.Ops))
	}
	worker := small.Workers[small.Ops[0].Worker]
	if len(small.Workers) != 1 || worker.Workload != s.Workers[op.Worker].Workload {
		t.Errorf("the workers are %v, want one of %s", small.Workers, s.Workers[op.Worker].Workload)
	}
	for i, c := range small.Clients {
		if c.Number != i || c != (Client{Number: i, Encrypted: c.Encrypted}) {
			t.Errorf("client %d is %+v", i, c)
		}
	}
	if begin := min(small.Faults[0].At, small.Ops[0].At); begin != lead {
		t.Errorf("the first event is at %v", begin)
	}
	if apart := small.Faults[1].At - small.Faults[0].At; apart != faults[1].At-faults[0].At {
		t.Errorf("the faults are %v apart, they were %v", apart, faults[1].At-faults[0].At)
	}
}

func TestShrinkStopsInTime(t *testing.T) {
	asked := 0
	small := Shrink(Generate(4), 20, func(*Scenario) bool { asked++; return asked%2 == 0 })
	if asked > 20 || small == nil {
		t.Errorf("asked %d times", asked)
	}
}

func TestFewestOfNothing(t *testing.T) {
	if left := shrinkList([]time.Duration{1, 2, 3}, func([]time.Duration) bool { return true }); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}
