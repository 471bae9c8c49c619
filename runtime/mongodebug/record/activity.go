package record

import (
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// seconds is the number of seconds that the activity covers.
const seconds = 300

// Activity counts the operations that ended in each of the last seconds. It takes no lock, so an operation that ends
// just as a second begins may not be counted at all.
type Activity [seconds]struct {
	second, done, failed, longest atomic.Int64
}

// Add counts an operation that ends now.
func (a *Activity) Add(now time.Time, took time.Duration, failed bool) {
	second := now.Unix()
	s := &a[second%seconds]
	if old := s.second.Load(); old != second && s.second.CompareAndSwap(old, second) {
		s.done.Store(0)
		s.failed.Store(0)
		s.longest.Store(0)
	}
	s.done.Add(1)
	if failed {
		s.failed.Add(1)
	}
	for longest := s.longest.Load(); int64(took) > longest; longest = s.longest.Load() {
		if s.longest.CompareAndSwap(longest, int64(took)) {
			return
		}
	}
}

// View returns the activity of the last minutes.
func (a *Activity) View(now time.Time) view.Activity {
	v := view.Activity{
		Last: now.Unix(), Done: make([]int64, seconds), Failed: make([]int64, seconds), Longest: make([]float64, seconds),
	}
	for i := range seconds {
		second := v.Last - int64(seconds-1-i)
		s := &a[second%seconds]
		if s.second.Load() != second {
			continue
		}
		v.Done[i], v.Failed[i], v.Longest[i] = s.done.Load(), s.failed.Load(), view.Milliseconds(time.Duration(s.longest.Load()))
	}
	return v
}
