package replica

import "time"

// StepDown makes the primary a secondary. It returns a channel that is closed when a new primary has been elected, or
// nil when there is no primary.
func (s *Set) StepDown() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary < 0 || s.closed {
		return nil
	}
	elected := s.elected
	s.steppedOff = s.primary
	s.lose()
	return elected
}

// NoteUnreachable says that a member was stopped or cut off.
func (s *Set) NoteUnreachable(node int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position(node) // remembers the position
	if s.primary == node || s.isolated == node {
		s.reign.Store(0)
		if s.LoseWrites {
			s.rollBack()
			s.RolledBack(node)
		}
		s.lose()
		return
	}
	if !s.isMajorityUp() && s.primary >= 0 {
		s.isolated = s.primary
		s.lose()
	}
}

func (s *Set) isMajorityUp() bool {
	up := 0
	for _, m := range s.members {
		if s.Processes[m.Node].Up() {
			up++
		}
	}
	return 2*up > len(s.members)
}

// lose makes the set lose its primary, ends that primary's open writes and transactions, and plans the next election.
func (s *Set) lose() {
	s.reign.Store(0)
	if was := s.primary; was >= 0 {
		s.position(was) // it keeps what it has as the primary
		s.primary = -1
		s.Lost(was)
	}
	s.announce()
	s.planElection(s.ElectionDelay)
}

// planElection holds an election after a delay, and repeats it until a member wins.
func (s *Set) planElection(after time.Duration) {
	if s.closed {
		return
	}
	if s.election != nil {
		s.election.Stop()
	}
	s.election = time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed || s.primary >= 0 {
			return
		}
		if !s.elect() {
			s.planElection(s.ElectionDelay)
		}
	})
}

// elect makes the electable member with the highest priority primary. The first entry of its term is a no-op.
func (s *Set) elect() bool {
	if s.closed {
		return false
	}
	now := time.Now()
	best := -1
	for _, m := range s.members {
		if now.Before(s.frozen[m.Node]) || !s.isElectable(m) {
			continue
		}
		if best < 0 || best == s.steppedOff || m.Priority > s.member(best).Priority && m.Node != s.steppedOff {
			best = m.Node
		}
	}
	if best < 0 {
		return false
	}
	s.primary, s.steppedOff, s.isolated = best, -1, -1
	s.term++
	s.Store.SetTerm(s.term)
	s.reign.Store(s.term)
	s.Store.Noop("new primary")
	close(s.elected)
	s.elected = make(chan struct{})
	s.announce()
	return true
}

// isElectable reports whether a majority would vote for a member: it is up, and few enough members have a write that it
// lacks.
func (s *Set) isElectable(m Member) bool {
	if m.Arbiter || m.Priority == 0 || !s.Processes[m.Node].Up() || s.isSyncing(m.Node) {
		return false
	}
	own, votes := s.position(m.Node), 0
	for _, voter := range s.members {
		if s.Processes[voter.Node].Up() && !s.isSyncing(voter.Node) && (voter.Arbiter || s.position(voter.Node) <= own) {
			votes++
		}
	}
	return 2*votes > len(s.members)
}
