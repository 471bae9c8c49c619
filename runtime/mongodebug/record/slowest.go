package record

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Minutes is how many minutes Slowest remembers.
	Minutes = 5
	// PerMinute is how many of each.
	PerMinute = 20
)

// Slowest keeps the slowest of each of the last minutes.
type Slowest[T any] struct {
	minute atomic.Int64 // the one that runs
	floor  atomic.Int64 // what has to be exceeded in this minute, in nanoseconds
	mu     sync.Mutex
	kept   [Minutes]slowMinute[T]
}

type slowMinute[T any] struct {
	minute int64
	list   []slow[T] // the slowest one first
}

type slow[T any] struct {
	took time.Duration
	what T
}

func compareSlowness[T any](a, b slow[T]) int { return cmp.Compare(b.took, a.took) }

// Wants reports whether something is among the slowest of this minute. Most are not, and cost no lock.
func (s *Slowest[T]) Wants(now time.Time, took time.Duration) bool {
	return s.minute.Load() != now.Unix()/60 || int64(took) > s.floor.Load()
}

// Add adds something that Wants has asked for.
func (s *Slowest[T]) Add(now time.Time, took time.Duration, what T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	minute := now.Unix() / 60
	current := &s.kept[minute%Minutes]
	if current.minute != minute {
		*current = slowMinute[T]{minute: minute}
		s.floor.Store(0)
		s.minute.Store(minute)
	}
	added := slow[T]{took, what}
	at, _ := slices.BinarySearchFunc(current.list, added, compareSlowness)
	current.list = slices.Insert(current.list, at, added)
	if len(current.list) > PerMinute {
		current.list = slices.Delete(current.list, PerMinute, len(current.list))
		s.floor.Store(int64(current.list[PerMinute-1].took))
	}
}

// All returns the operations of the last minutes, the slowest one first.
func (s *Slowest[T]) All(now time.Time) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []slow[T]
	for i := range s.kept {
		if s.kept[i].minute > now.Unix()/60-Minutes {
			list = append(list, s.kept[i].list...)
		}
	}
	slices.SortStableFunc(list, compareSlowness)
	out := make([]T, 0, len(list))
	for _, x := range list {
		out = append(out, x.what)
	}
	return out
}
