package mongotest

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// role is what a member of a replica set is at the moment.
type role uint8

const (
	roleDown role = iota
	rolePrimary
	roleSecondary
	roleArbiter
	roleRemoved // runs, but the configuration does not name it
)

// Member is a member of a replica set as the configuration names it.
type Member struct {
	// Node is the member's number, counted from 0.
	Node    int
	Hidden  bool
	Arbiter bool
	// Priority decides elections. 0 keeps the member from becoming primary, and a Member that says nothing has 0: some
	// member needs 1. Unlike a real one, a member does not take over from a primary of lower priority before the next
	// election.
	Priority int
	Tags     map[string]string
}

// memberSet is the replica set: who is primary, in which term, and by which configuration. The lock order is memberSet
// before node.
type memberSet struct {
	d *Deployment

	mu         sync.Mutex
	setVersion int64
	members    []Member
	primary    int // -1 while there is none
	term       int64
	frozen     map[int]time.Time
	leaver     int                     // wins the next election only if nobody else does; -1 for nobody
	stuck      map[int]store.Timestamp // the last writes of the members that are down or cut off
	stranded   int                     // the primary that lost its majority, until there is another; -1 without one
	election   *time.Timer
	stopped    bool
	elected    chan struct{} // closed at each election, then replaced
}

func newMemberSet(d *Deployment) *memberSet {
	s := &memberSet{d: d, setVersion: 1, primary: 0, leaver: -1, term: 1, frozen: map[int]time.Time{}, stuck: map[int]store.Timestamp{}, stranded: -1, elected: make(chan struct{})}
	for i := range d.nodes {
		s.members = append(s.members, Member{Node: i, Priority: 1})
	}
	return s
}

func (s *memberSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.election != nil {
		s.election.Stop()
	}
	close(s.elected) // nobody has to wait any more
}

func (s *memberSet) role(i int) role {
	m := s.member(i)
	switch {
	case m == nil:
		return roleRemoved
	case m.Arbiter:
		return roleArbiter
	case s.primary == i:
		return rolePrimary
	}
	return roleSecondary
}

func (s *memberSet) member(i int) *Member {
	for k := range s.members {
		if s.members[k].Node == i {
			return &s.members[k]
		}
	}
	return nil
}

// describe writes the replica set's part of a hello reply.
func (s *memberSet) describe(f *fields, n *node, command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.role(n.index)
	if own == roleRemoved {
		f.boolean(primaryField(command), false)
		f.boolean("secondary", false)
		f.str("info", "Does not have a valid replica set config")
		f.boolean("isreplicaset", true)
		return
	}
	var hosts, passives, arbiters []string
	for _, m := range s.members {
		address := s.d.nodes[m.Node].address
		switch {
		case m.Hidden:
		case m.Arbiter:
			arbiters = append(arbiters, address)
		case m.Priority == 0:
			passives = append(passives, address)
		default:
			hosts = append(hosts, address)
		}
	}
	m := s.member(n.index)
	f.list("hosts", hosts).list("passives", passives).list("arbiters", arbiters)
	f.str("setName", s.d.config.setName)
	f.int32("setVersion", int32(s.setVersion))
	f.boolean(primaryField(command), own == rolePrimary)
	f.boolean("secondary", own == roleSecondary)
	s.describeMember(f, m, own)
	if s.primary >= 0 && n.up() {
		f.str("primary", s.d.nodes[s.primary].address)
	}
	f.str("me", n.address)
	if own == rolePrimary {
		f.value("electionId", electionID(s.term))
	}
	f.doc("lastWrite", s.lastWrite(n, own))
}

func (s *memberSet) describeMember(f *fields, m *Member, own role) {
	if own == roleArbiter {
		f.boolean("arbiterOnly", true)
	}
	if m.Hidden {
		f.boolean("hidden", true)
	}
	if m.Priority == 0 && !m.Arbiter {
		f.boolean("passive", true)
	}
	if len(m.Tags) > 0 {
		f.value("tags", m.Tags)
	}
}

// lastWrite tells what a member has, and what a majority has. An arbiter has nothing.
func (s *memberSet) lastWrite(n *node, own role) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if own == roleArbiter {
		dst = appendOpTime(dst, "opTime", "lastWriteDate", bson.Timestamp{}, -1)
		return bson.AppendDocumentEnd(appendOpTime(dst, "majorityOpTime", "majorityWriteDate", bson.Timestamp{}, -1), start)
	}
	have, most := s.positions(n.index)
	dst = appendOpTime(dst, "opTime", "lastWriteDate", s.d.data.sinceBegan(have), s.term)
	dst = appendOpTime(dst, "majorityOpTime", "majorityWriteDate", s.d.data.sinceBegan(min(have, most)), s.term)
	return bson.AppendDocumentEnd(dst, start)
}

func appendOpTime(dst []byte, name, dateName string, at bson.Timestamp, term int64) []byte {
	dst, inner := bson.AppendDocumentElementStart(dst, name)
	dst = bson.AppendTimestampElement(dst, "ts", at.T, at.I)
	dst = bson.AppendInt64Element(dst, "t", term)
	dst = bson.AppendDocumentEnd(dst, inner)
	return bson.AppendDateTimeElement(dst, dateName, time.Unix(int64(at.T), 0).UnixMilli())
}

// loseLocked takes the primary's office away, with the transactions that it has open, and plans the next election.
func (s *memberSet) loseLocked() {
	s.primary = -1
	s.d.sessions.abortAll()
	s.announce()
	s.plan(s.d.config.electionDelay)
}

// plan holds an election after d. An election without a result is held again.
func (s *memberSet) plan(d time.Duration) {
	if s.stopped {
		return
	}
	if s.election != nil {
		s.election.Stop()
	}
	s.election = time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.stopped || s.primary >= 0 {
			return
		}
		if !s.elect() {
			s.plan(s.d.config.electionDelay)
		}
	})
}

// elect makes the first member primary that may be: it is not frozen, and a majority votes for it. Its term begins with an
// entry without effect.
func (s *memberSet) elect() bool {
	if s.stopped {
		return false
	}
	now := time.Now()
	best := -1
	for _, m := range s.members {
		if now.Before(s.frozen[m.Node]) || !s.mayWin(m) {
			continue
		}
		if best < 0 || best == s.leaver || m.Priority > s.member(best).Priority && m.Node != s.leaver {
			best = m.Node
		}
	}
	if best < 0 {
		return false
	}
	s.primary, s.leaver, s.stranded = best, -1, -1
	s.term++
	s.d.data.store.SetTerm(s.term)
	s.d.data.store.Noop("new primary")
	close(s.elected)
	s.elected = make(chan struct{})
	s.announce()
	return true
}

// announce wakes the hellos that wait on every member.
func (s *memberSet) announce() {
	for _, n := range s.d.nodes {
		n.bump()
	}
}
