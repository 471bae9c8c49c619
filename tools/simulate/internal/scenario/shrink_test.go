package scenario

import (
	"slices"
	"testing"
	"time"
)

func TestShrinkKeepsWhatIsNeeded(t *testing.T) {
	s := Generate(3)
	faults := []Fault{s.Faults[2], s.Faults[len(s.Faults)-1]}
	op := s.Ops[len(s.Ops)/2]
	has := func(s *Scenario) bool {
		return slices.Contains(s.Faults, faults[0]) && slices.Contains(s.Faults, faults[1]) &&
			slices.ContainsFunc(s.Ops, func(o Op) bool { return o.At == op.At && o.Worker == op.Worker })
	}
	small := Shrink(s, 100_000, has)
	if !has(small) || len(small.Faults) != 2 || len(small.Ops) != 1 {
		t.Errorf("%d faults and %d operations are left", len(small.Faults), len(small.Ops))
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
	if left := fewest([]time.Duration{1, 2, 3}, func([]time.Duration) bool { return true }); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}
