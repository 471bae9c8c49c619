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
	// PerMinute is how many operations of each minute it remembers.
	PerMinute = 20
)

// Slowest keeps the slowest operations of each of the last minutes.
type Slowest[T any] struct {
	minute atomic.Int64 // the current minute
	floor  atomic.Int64 // the time that an operation of this minute must exceed, in nanoseconds
	mu     sync.Mutex
	kept   [Minutes]slowMinute[T]
}

type slowMinute[T any] struct {
	minute int64
	list   []slowItem[T] // the slowest one first
}

type slowItem[T any] struct {
	took time.Duration
	what T
}

func compareSlowness[T any](a, b slowItem[T]) int { return cmp.Compare(b.took, a.took) }

// Wants reports whether an operation is among the slowest of this minute. Most are not, and for them Wants takes no
// lock.
func (s *Slowest[T]) Wants(now time.Time, took time.Duration) bool {
	return s.minute.Load() != now.Unix()/60 || int64(took) > s.floor.Load()
}

// Add adds an operation for which Wants has returned true.
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
	added := slowItem[T]{took, what}
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
	var list []slowItem[T]
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
