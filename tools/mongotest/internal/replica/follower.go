package replica

import (
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// follower is how far one member has replicated.
type follower struct {
	has    store.Timestamp // the last write that it had; only a rollback or the loss of its data takes it back
	down   bool            // it was down or cut off when it was last looked at
	behind int64           // how many of the last writes it lacks
	rate   int             // how many writes it gets each second until it has them all; 0 for all at once
	from   int64           // how many writes it had when it began to catch up
	since  time.Time       // when it began

	syncing *time.Timer // ends its initial sync; nil without one
}

// position is the time of the last write that a member has; s.mu is held. A member that is down or cut off keeps the position
// that it had, and follows again as soon as it is back.
func (s *Set) position(i int) store.Timestamp {
	f := &s.followers[i]
	up := s.Processes[i].Up()
	switch {
	case f.syncing != nil:
		return 0
	case !up && f.down:
		return f.has
	case up && f.down:
		s.restartRate(i)
	}
	f.down = !up
	f.has = max(f.has, s.following(i))
	return f.has
}

// following is what a member that the others reach would have had it never had more.
func (s *Set) following(i int) store.Timestamp {
	f, latest := &s.followers[i], s.Store.Latest()
	switch {
	case s.primary == i:
		return latest.Time()
	case f.rate > 0:
		n := f.from + int64(time.Since(f.since).Seconds()*float64(f.rate))
		if n < latest.Writes() {
			return s.Store.Written(n).Time()
		}
		f.rate = 0
		s.Processes[i].Lagging.Store(false)
	case f.behind > 0:
		return s.Store.Behind(f.behind).Time()
	}
	return latest.Time()
}

// Lag has a member lack the last writes from now on. What it has it keeps. 0 lets it have everything at once.
func (s *Set) Lag(node int, behind int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position(node)
	f := &s.followers[node]
	f.behind, f.rate = behind, 0
	s.Processes[node].Lagging.Store(behind > 0 || f.syncing != nil)
}

// Lags is how many of the last writes a member is told to lack.
func (s *Set) Lags(node int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.followers[node].behind)
}

// CatchUp has a member get what it lacks, so many writes each second.
func (s *Set) CatchUp(node, rate int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position(node)
	f := &s.followers[node]
	f.behind, f.rate = 0, rate
	s.restartRate(node)
	s.Processes[node].Lagging.Store(true) // until it is found to have everything
}

// restartRate has a member catch up from where it is now; s.mu is held.
func (s *Set) restartRate(i int) {
	f := &s.followers[i]
	f.from, f.since = s.Clock.At(f.has).Writes(), time.Now()
}

// Resync takes a member's data away. It is a secondary again after some time, once another member can give it everything.
func (s *Set) Resync(node int, length time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	f := &s.followers[node]
	f.endSync()
	f.has, f.down = 0, false
	s.Processes[node].Lagging.Store(true)
	f.syncing = time.AfterFunc(length, func() { s.finishSync(node, length) })
	s.announce()
}

// finishSync gives a member the data of the others, or tries again later when none of them can be reached.
func (s *Set) finishSync(node int, again time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.followers[node]
	if f.syncing == nil || s.closed {
		return
	}
	source := store.Timestamp(0)
	for _, m := range s.members {
		if m.Node != node && !m.Arbiter && s.Processes[m.Node].Up() {
			source = max(source, s.position(m.Node))
		}
	}
	if source == 0 || !s.Processes[node].Up() {
		f.syncing.Reset(max(again, time.Millisecond))
		return
	}
	f.endSync()
	f.has = source
	s.restartRate(node)
	s.Processes[node].Lagging.Store(f.behind > 0 || f.rate > 0)
	s.announce()
}

// syncing reports whether a member has no data yet; s.mu is held.
func (s *Set) syncing(i int) bool { return s.followers[i].syncing != nil }

func (f *follower) endSync() {
	if f.syncing != nil {
		f.syncing.Stop()
		f.syncing = nil
	}
}
