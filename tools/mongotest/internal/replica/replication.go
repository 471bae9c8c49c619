package replica

import (
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// positions returns a member's own position and the newest position that a majority of the members has had; s.mu is held.
// The majority's position does not go back when a member loses its data.
func (s *Set) positions(i int) (own, majority store.Timestamp) {
	own, all := s.position(i), []store.Timestamp(nil)
	for _, m := range s.members {
		if !m.Arbiter {
			all = append(all, s.position(m.Node))
		}
	}
	if len(all) == 0 {
		return own, own
	}
	slices.Sort(all)
	s.committed = max(s.committed, all[len(all)-s.writeMajority()])
	return own, s.committed
}

// writeMajority returns how many data-bearing members make a majority of the voters, or all of them if there are too few.
func (s *Set) writeMajority() int { return min(len(s.members)/2+1, len(s.members)-s.countArbiters()) }

func (s *Set) countArbiters() (n int) {
	for _, m := range s.members {
		if m.Arbiter {
			n++
		}
	}
	return n
}

// MajorityByDefault reports whether a write without a write concern waits for a majority. It does not if arbiters leave
// too few data-bearing members. Only servers from version 5.0 on ask.
func (s *Set) MajorityByDefault() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	voters, arbiters := len(s.members), s.countArbiters()
	return arbiters == 0 || voters-arbiters > voters/2+1
}

// hasCaughtUp reports whether a majority, including an electable member, has all that the primary has; s.mu is held.
func (s *Set) hasCaughtUp() bool {
	last, majority := s.positions(s.primary)
	return majority >= last && s.hasSuccessor(last)
}

// hasSuccessor reports whether another member may be elected and has the writes up to a time.
func (s *Set) hasSuccessor(at store.Timestamp) bool {
	now := time.Now()
	for _, m := range s.members {
		switch {
		case m.Node == s.primary, m.Arbiter, m.Priority == 0, !s.Processes[m.Node].Up(), s.isSyncing(m.Node), now.Before(s.frozen[m.Node]):
		case s.position(m.Node) >= at:
			return true
		}
	}
	return false
}

// rollBack drops the writes that no majority acknowledged, on members that are down too; s.mu is held.
func (s *Set) rollBack() {
	left := s.Clock.RollBack(s.Forget)
	s.committed = min(s.committed, left)
	for i := range s.followers {
		s.followers[i].has = min(s.followers[i].has, left)
	}
}

// OperationTime returns the time of the last write that a node has.
func (s *Set) OperationTime(node int) bson.Timestamp {
	if !s.Processes[node].Lagging.Load() {
		return s.Clock.ClusterTime()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Clock.NotBeforeStart(s.position(node))
}

// Latest returns the newest state that a node has.
func (s *Set) Latest(node int) *store.Snapshot {
	if !s.Processes[node].Lagging.Load() {
		return s.Store.Latest()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Clock.At(s.position(node))
}
