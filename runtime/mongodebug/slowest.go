package mongodebug

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

const (
	slowMinutes = 5  // how many minutes are remembered
	perMinute   = 20 // how many commands of each
)

// slowest are the slowest commands of each of the last minutes.
type slowest struct {
	minute atomic.Int64 // the one that runs
	floor  atomic.Int64 // what a command of this minute has to exceed, in nanoseconds
	mu     sync.Mutex
	kept   [slowMinutes]slowMinute
}

type slowMinute struct {
	minute int64
	list   []remembered // the slowest one first
}

// wants reports whether a command is among the slowest of this minute. Most are not, and cost no lock.
func (s *slowest) wants(now time.Time, took time.Duration) bool {
	return s.minute.Load() != now.Unix()/60 || int64(took) > s.floor.Load()
}

func (s *slowest) add(now time.Time, m remembered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	minute := now.Unix() / 60
	current := &s.kept[minute%slowMinutes]
	if current.minute != minute {
		*current = slowMinute{minute: minute}
		s.floor.Store(0)
		s.minute.Store(minute)
	}
	at, _ := slices.BinarySearchFunc(current.list, m, func(a, b remembered) int { return cmp.Compare(b.For, a.For) })
	current.list = slices.Insert(current.list, at, m)
	if len(current.list) > perMinute {
		current.list = slices.Delete(current.list, perMinute, len(current.list))
		s.floor.Store(int64(current.list[perMinute-1].For * float64(time.Millisecond)))
	}
}

// all are those of the last minutes, the slowest one first.
func (s *slowest) all(now time.Time) []remembered {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []remembered
	for i := range s.kept {
		if s.kept[i].minute > now.Unix()/60-slowMinutes {
			list = append(list, s.kept[i].list...)
		}
	}
	slices.SortStableFunc(list, func(a, b remembered) int { return cmp.Compare(b.For, a.For) })
	return list
}

func (s *slowest) view(now time.Time) []view.Operation {
	list := s.all(now)
	out := make([]view.Operation, 0, perMinute)
	for _, m := range list[:min(len(list), perMinute)] {
		out = append(out, m.Operation)
	}
	return out
}
