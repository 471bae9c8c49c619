package mongotest

import (
	"slices"
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Lag makes member i of a replica set lack the last writes, as many as behind says, while it is a secondary: it reads
// an older state, does not count towards write concerns and the majority, and is not elected over a member that a majority
// would rather vote for. What one command writes counts as one write. 0 ends it. A member that becomes primary
// catches up first, whatever it lacked. While too many members lag, a write that waits for a majority, as writes do by
// default from version 5.0 on, waits until wtimeout or maxTimeMS is over.
func (d *Deployment) Lag(i, behind int) { d.node(i).behind.Store(int64(max(behind, 0))) }

// position is the time of the last write that a member has; s.mu is held. A member that is down or cut off has what it had
// when that began, and follows again as soon as it is back.
func (s *memberSet) position(i int) store.Timestamp {
	if s.d.nodes[i].up() {
		delete(s.stuck, i)
		return s.following(i)
	}
	at, ok := s.stuck[i]
	if !ok {
		at = s.following(i)
		s.stuck[i] = at
	}
	return at
}

// following is the position of a member that the others reach.
func (s *memberSet) following(i int) store.Timestamp {
	behind := s.d.nodes[i].behind.Load()
	if behind == 0 || s.primary == i {
		return s.d.data.store.Latest().Time()
	}
	return s.d.data.store.Behind(int(behind)).Time()
}

// positions are a member's own position, and the newest one that a majority of the members has; s.mu is held.
func (s *memberSet) positions(i int) (own, majority store.Timestamp) {
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

// writeMajority is how many members that hold data are a majority of the voters, or all of them if they are too few.
func (s *memberSet) writeMajority() int {
	return min(len(s.members)/2+1, len(s.members)-s.arbiters())
}

func (s *memberSet) arbiters() (n int) {
	for _, m := range s.members {
		if m.Arbiter {
			n++
		}
	}
	return n
}

// mayWin reports whether a majority would vote for a member: it is up, and lacks nothing that too many others have.
func (s *memberSet) mayWin(m Member) bool {
	if m.Arbiter || m.Priority == 0 || !s.d.nodes[m.Node].up() {
		return false
	}
	own, votes := s.position(m.Node), 0
	for _, voter := range s.members {
		if s.d.nodes[voter.Node].up() && (voter.Arbiter || s.position(voter.Node) <= own) {
			votes++
		}
	}
	return 2*votes > len(s.members)
}

// caughtUp reports whether a majority has all that the primary has, and somebody with it can take its place; s.mu is held.
func (s *memberSet) caughtUp() bool {
	last, most := s.positions(s.primary)
	return most >= last && s.follower(last)
}

// follower reports whether a member other than the primary could be elected that has what was written until then.
func (s *memberSet) follower(has store.Timestamp) bool {
	now := time.Now()
	for _, m := range s.members {
		switch {
		case m.Node == s.primary, m.Arbiter, m.Priority == 0, !s.d.nodes[m.Node].up(), now.Before(s.frozen[m.Node]):
		case s.position(m.Node) >= has:
			return true
		}
	}
	return false
}

// rollBack takes the writes back that no majority acknowledged, from the members that are down too; s.mu is held.
func (s *memberSet) rollBack() {
	left := s.d.data.rollBack(s.d.sessions)
	for i, at := range s.stuck {
		s.stuck[i] = min(at, left)
	}
}

// office is who is primary, since when.
type office struct {
	primary int
	term    int64
}

// standing is a node's role, and the office of the primary.
func (s *memberSet) standing(n *node) (role, office) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.role(n.index), office{s.primary, s.term}
}

// holds reports whether there was no other primary since; s.mu is held. A secondary that answers an aggregate with $out has
// the primary write.
func (s *memberSet) holds(o office) bool { return s.primary >= 0 && o == office{s.primary, s.term} }
