package replica

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/clock"
	"github.com/specdrivers/onion/tools/mongotest/internal/process"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Role is the current role of a member.
type Role uint8

// The roles. A removed member runs but is not in the configuration. A syncing member has no data yet.
const (
	Primary Role = iota + 1
	Secondary
	Arbiter
	Removed
	Syncing
)

// String returns the name of the role.
func (r Role) String() string {
	switch r {
	case Primary:
		return "primary"
	case Secondary:
		return "secondary"
	case Arbiter:
		return "arbiter"
	case Syncing:
		return "syncing"
	}
	return "removed"
}

// Member is a member in the configuration of the set.
type Member struct {
	Node     int
	Hidden   bool
	Arbiter  bool
	Priority int
	Tags     map[string]string
}

// Config configures a Set. The Set calls the functions with its lock held, so they must not call the Set.
type Config struct {
	Name          string
	Wire          int32
	ElectionDelay time.Duration
	Modes         map[string]map[string]int // write concern modes: how many values of each tag
	LoseWrites    bool                      // a forced failover loses writes that no majority acknowledged

	Processes []*process.Process
	Store     *store.Store
	Clock     *clock.Clock
	Now       func() time.Time

	Lost       func(node int)              // the primary has stepped down or is gone
	Forget     func(after store.Timestamp) // the writes after that time were lost
	RolledBack func(node int)              // the node has lost writes that its cursors may have returned
}

// Set is a replica set. Its methods are safe for concurrent use. Take its lock before the lock of a process.
type Set struct {
	Config

	mu         sync.Mutex
	id         bson.ObjectID
	given      bson.Raw // the settings of the last replSetReconfig
	setVersion int64
	members    []Member
	primary    int // -1 while there is none
	term       int64
	frozen     map[int]time.Time
	steppedOff int             // the last primary to step down, which wins only if no other member can; -1 for none
	isolated   int             // the primary that lost its majority, until a new one is elected; -1 for none
	followers  []follower      // what each member has replicated
	committed  store.Timestamp // what a majority of the members has had
	reign      atomic.Int64    // the term of the primary that may write; 0 for none
	election   *time.Timer
	closed     bool
	elected    chan struct{} // closed at each election, then replaced
}

// New makes a replica set of all processes. The first one is the primary.
func New(c Config) *Set {
	s := &Set{
		Config: c, id: bson.NewObjectID(), setVersion: 1, primary: 0, term: 1, frozen: map[int]time.Time{}, steppedOff: -1,
		followers: make([]follower, len(c.Processes)), isolated: -1, elected: make(chan struct{}),
	}
	s.reign.Store(s.term)
	for i := range c.Processes {
		s.members = append(s.members, Member{Node: i, Priority: 1})
	}
	return s
}

// Close ends elections, and everything that waits for one.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.election != nil {
		s.election.Stop()
	}
	for i := range s.followers {
		s.followers[i].endSync()
	}
	close(s.elected)
}

// PrimaryNode returns the number of the primary, or -1 while there is none.
func (s *Set) PrimaryNode() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.primary
}

func (s *Set) role(i int) Role {
	m := s.member(i)
	switch {
	case m == nil:
		return Removed
	case m.Arbiter:
		return Arbiter
	case s.primary == i:
		return Primary
	case s.followers[i].syncing != nil:
		return Syncing
	}
	return Secondary
}

func (s *Set) member(i int) *Member {
	for k := range s.members {
		if s.members[k].Node == i {
			return &s.members[k]
		}
	}
	return nil
}

// Reconfigure installs a new configuration.
func (s *Set) Reconfigure(members []Member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members = members
	s.setVersion++
	if p := s.member(s.primary); p == nil || p.Arbiter || p.Priority == 0 {
		s.lose()
		return
	}
	s.announce()
}

// announce wakes the hellos that wait, on every member.
func (s *Set) announce() {
	for _, p := range s.Processes {
		p.Change()
	}
}

// Term is a primary and the term for which it was elected.
type Term struct {
	primary int
	number  int64
}

// RoleOf returns a node's role and the current term.
func (s *Set) RoleOf(node int) (Role, Term) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.role(node), Term{s.primary, s.term}
}

// inTerm reports whether the term has a primary and is not over; s.mu is held. The node does not matter: a secondary
// that runs an aggregate with $out lets the primary write.
func (s *Set) inTerm(t Term) bool { return s.primary >= 0 && t == Term{s.primary, s.term} }

// MayWrite returns an error for a write whose term is over. It takes no lock, so the store's writer can call it. A
// write that it allows comes before the next primary's writes.
func (s *Set) MayWrite(in Term) error {
	if in.primary >= 0 && s.reign.Load() == in.number {
		return nil
	}
	return status.Errorf(errcode.InterruptedDueToReplStateChange, "operation was interrupted")
}

// DescribeStatus appends the set's part of serverStatus.
func (s *Set) DescribeStatus(f *reply.Fields, node int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hosts := bson.A{}
	for _, m := range s.members {
		hosts = append(hosts, s.Processes[m.Node].Address())
	}
	role := s.role(node)
	d := bson.Doc("setName", s.Name, "setVersion", int32(s.setVersion), "isWritablePrimary", role == Primary,
		"secondary", role == Secondary, "hosts", hosts, "me", s.Processes[node].Address())
	if s.primary >= 0 {
		d = append(d, bson.E{Key: "primary", Value: s.Processes[s.primary].Address()})
	}
	f.Value("repl", d)
}
