package replica

import (
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// position is the time of the last write that a member has; s.mu is held. A member that is down or cut off keeps the position
// that it had, and follows again as soon as it is back.
func (s *Set) position(i int) store.Timestamp {
	if s.Processes[i].Up() {
		delete(s.lastSeen, i)
		return s.following(i)
	}
	at, ok := s.lastSeen[i]
	if !ok {
		at = s.following(i)
		s.lastSeen[i] = at
	}
	return at
}

// following is the position of a member that the others reach.
func (s *Set) following(i int) store.Timestamp {
	behind := s.Processes[i].Behind.Load()
	if behind == 0 || s.primary == i {
		return s.Store.Latest().Time()
	}
	return s.Store.Behind(int(behind)).Time()
}

// positions are a member's own position, and the newest one that a majority of the members has; s.mu is held.
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
	return own, all[len(all)-s.writeMajority()]
}

// writeMajority is how many data-bearing members are a majority of the voters, or all of them if they are too few.
func (s *Set) writeMajority() int { return min(len(s.members)/2+1, len(s.members)-s.arbiters()) }

func (s *Set) arbiters() (n int) {
	for _, m := range s.members {
		if m.Arbiter {
			n++
		}
	}
	return n
}

// MajorityByDefault reports whether arbiters leave so many data-bearing members that a write without a write concern can wait
// for a majority. Only servers from version 5.0 on ask.
func (s *Set) MajorityByDefault() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	voters, arbiters := len(s.members), s.arbiters()
	return arbiters == 0 || voters-arbiters > voters/2+1
}

// caughtUp reports whether a majority has all that the primary has, and an electable member is among them; s.mu is held.
func (s *Set) caughtUp() bool {
	last, majority := s.positions(s.primary)
	return majority >= last && s.hasSuccessor(last)
}

// hasSuccessor reports whether a member other than the primary has the writes until a time and may be elected.
func (s *Set) hasSuccessor(at store.Timestamp) bool {
	now := time.Now()
	for _, m := range s.members {
		switch {
		case m.Node == s.primary, m.Arbiter, m.Priority == 0, !s.Processes[m.Node].Up(), now.Before(s.frozen[m.Node]):
		case s.position(m.Node) >= at:
			return true
		}
	}
	return false
}

// rollBack drops the writes that no majority acknowledged, also from the members that are down; s.mu is held.
func (s *Set) rollBack() {
	left := s.Clock.RollBack(s.Forget)
	for i, at := range s.lastSeen {
		s.lastSeen[i] = min(at, left)
	}
}

// OperationTime is the time of the last write that a node has.
func (s *Set) OperationTime(node int) bson.Timestamp {
	if s.Processes[node].Behind.Load() == 0 {
		return s.Clock.ClusterTime()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Clock.AtLeastBegan(s.position(node))
}

// Latest is the newest state that a node has.
func (s *Set) Latest(node int) *store.Snapshot {
	if s.Processes[node].Behind.Load() == 0 {
		return s.Store.Latest()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Clock.At(s.position(node))
}
