package exec

import (
	"testing"
	"time"
)

// BenchmarkKeepingStats measures all that Client.Stats costs an operation.
func BenchmarkKeepingStats(b *testing.B) {
	var c counters
	var running runningOperations
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.begin()
			s := running.enter(RunningOperation{ID: 1, Operation: "find", Database: "shop", Collection: "things", Began: time.Now()})
			s.update("localhost:27017", 1)
			s.leave()
			c.end(nil, nil)
		}
	})
}

func TestKeepingStatsAllocatesNothing(t *testing.T) {
	var c counters
	var running runningOperations
	n := testing.AllocsPerRun(100, func() {
		c.begin()
		s := running.enter(RunningOperation{ID: 1, Operation: "find", Database: "shop", Collection: "things", Began: time.Now()})
		s.update("localhost:27017", 1)
		s.leave()
		c.end(nil, nil)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOperationsBeyondTheSlotsAreCountedOnly(t *testing.T) {
	var running runningOperations
	var taken []*slot
	for range 3 * maxSlots {
		taken = append(taken, running.enter(RunningOperation{Operation: "find"}))
	}
	if n := len(running.list()); n == 0 || n > maxSlots {
		t.Errorf("%d operations are listed, want at most %d", n, maxSlots)
	}
	for _, s := range taken {
		s.update("localhost:27017", 1)
		s.leave()
	}
	if n := len(running.list()); n != 0 {
		t.Errorf("%d operations are listed after all have ended", n)
	}
}
