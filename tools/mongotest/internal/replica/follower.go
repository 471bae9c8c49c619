package replica

import (
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// follower is the replication progress of one member.
type follower struct {
	has    store.Timestamp // the last write that it had; it goes back only on a rollback or a loss of its data
	down   bool            // it was down or cut off at the last check
	behind int64           // how many of the newest writes it lacks
	rate   int             // how many writes it gets each second until it has them all; 0 means all at once
	from   int64           // how many writes it had when it began to catch up
	since  time.Time       // when it began

	syncing *time.Timer // ends its initial sync; nil without one
}

// position returns the time of the last write that a member has; s.mu is held. A member that is down or cut off keeps its
// position, and catches up as soon as it is back.
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
	f.has = max(f.has, s.positionByLag(i))
	return f.has
}

// positionByLag returns the position of a reachable member by its lag and rate alone, without regard to what it already has.
func (s *Set) positionByLag(i int) store.Timestamp {
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
		return s.Store.SnapshotBehind(f.behind).Time()
	}
	return latest.Time()
}

// ReadsPast reports whether a state of the past may be needed: a member may lack the newest writes, or a failover may
// lose them. It takes no lock of the set.
func (s *Set) ReadsPast() bool {
	if s.LoseWrites {
		return true
	}
	for _, p := range s.Processes {
		if p.Lagging.Load() || !p.Up() {
			return true
		}
	}
	return false
}

// Lag makes a member lack the newest writes from now on. It keeps what it already has. 0 gives it everything at once.
func (s *Set) Lag(node int, behind int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position(node)
	f := &s.followers[node]
	f.behind, f.rate = behind, 0
	s.Processes[node].Lagging.Store(behind > 0 || f.syncing != nil)
}

// Lags returns how many of the newest writes a member lacks because of Lag.
func (s *Set) Lags(node int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.followers[node].behind)
}

// CatchUp makes a member get its missing writes, at a number of writes each second.
func (s *Set) CatchUp(node, rate int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position(node)
	f := &s.followers[node]
	f.behind, f.rate = 0, rate
	s.restartRate(node)
	s.Processes[node].Lagging.Store(true) // until a check finds that it has everything
}

// restartRate makes a member catch up from its current position; s.mu is held.
func (s *Set) restartRate(i int) {
	f := &s.followers[i]
	f.from, f.since = s.Clock.At(f.has).Writes(), time.Now()
}

// Resync removes a member's data. The member is a secondary again later, once another member can give it everything.
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

// finishSync gives a member the data of the others. If none is reachable, it tries again later.
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

// isSyncing reports whether a member has no data yet; s.mu is held.
func (s *Set) isSyncing(i int) bool { return s.followers[i].syncing != nil }

func (f *follower) endSync() {
	if f.syncing != nil {
		f.syncing.Stop()
		f.syncing = nil
	}
}
