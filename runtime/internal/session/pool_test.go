package session

import (
	"bytes"
	"testing"
	"time"
)

// start is when the clock of the tests begins.
var start = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// timedPool is a pool with a clock.
type timedPool struct {
	*Pool
	time time.Time
}

func (p *timedPool) now() time.Time                           { return p.time }
func (p *timedPool) Acquire(timeout time.Duration) *Server    { return p.Pool.Acquire(timeout, p.time) }
func (p *timedPool) Release(s *Server, timeout time.Duration) { p.Pool.Release(s, timeout, p.time) }

// testPool makes a pool and a function that moves its clock.
func testPool() (*timedPool, func(time.Duration)) {
	p := &timedPool{NewPool(), start}
	return p, func(d time.Duration) { p.time = p.time.Add(d) }
}

func TestIDIsADocumentWithAUUID(t *testing.T) {
	p, _ := testPool()
	a, b := p.Acquire(0), p.Acquire(0)
	subtype, id, ok := a.ID().Lookup("id").BinaryOK()
	if !ok || subtype != 4 || len(id) != 16 {
		t.Errorf("lsid %v", a.ID())
	}
	if err := a.ID().Validate(); err != nil {
		t.Error(err)
	}
	if bytes.Equal(a.ID(), b.ID()) {
		t.Error("two sessions have the same id")
	}
}

// Sessions, "Server session pool": it is a stack, and several sessions come out one after the other.
func TestTheSessionUsedLastComesOutFirst(t *testing.T) {
	p, _ := testPool()
	a, b, c := p.Acquire(time.Hour), p.Acquire(time.Hour), p.Acquire(time.Hour)
	for _, s := range []*Server{a, b, c} {
		p.Release(s, time.Hour)
	}
	if n := p.Len(); n != 3 {
		t.Fatalf("%d are free, want 3", n)
	}
	for i, want := range []*Server{c, b, a} {
		if got := p.Acquire(time.Hour); got != want {
			t.Errorf("acquire %d gives %p, want %p of %p, %p, %p", i, got, want, a, b, c)
		}
		if n := p.Len(); n != 2-i {
			t.Errorf("%d are free after acquire %d", n, i)
		}
	}
	if got := p.Acquire(time.Hour); got == a || got == b || got == c {
		t.Error("a session in use was given out once more")
	}
}

// A session with at least a minute left is used; one with less is not.
func TestASessionIsDroppedInItsLastMinute(t *testing.T) {
	const timeout = 30 * time.Minute
	for _, tt := range []struct {
		after   time.Duration
		timeout time.Duration
		kept    bool
	}{
		{timeout - time.Minute, timeout, true},
		{timeout - time.Minute + 1, timeout, false},
		{timeout + time.Hour, timeout, false},
		{1000 * time.Hour, 0, true}, // a load balancer's sessions do not expire
	} {
		t.Run(tt.after.String(), func(t *testing.T) {
			p, wait := testPool()
			s := p.Acquire(tt.timeout)
			s.NextTxnNumber() // the number dies with the session
			p.Release(s, tt.timeout)
			wait(tt.after)
			if got := p.Acquire(tt.timeout) == s; got != tt.kept {
				t.Errorf("acquire keeps it: %v", got)
			}
			if p.Len() != 0 {
				t.Errorf("%d are left", p.Len())
			}
			p, wait = testPool()
			s = p.Acquire(tt.timeout)
			wait(tt.after)
			p.Release(s, tt.timeout)
			if got := p.Len() == 1; got != tt.kept {
				t.Errorf("release keeps it: %v", got)
			}
		})
	}
}

// A release drops the sessions at the bottom that are about to expire, and keeps the order of the others.
func TestReleasePrunesFromTheBottom(t *testing.T) {
	const timeout = 30 * time.Minute
	p, wait := testPool()
	var all []*Server
	for range 6 {
		all = append(all, p.Acquire(timeout))
	}
	for _, s := range all[:5] {
		s.Touch(p.now())
		p.Release(s, timeout)
		wait(5 * time.Minute)
	}
	wait(10 * time.Minute) // the first was used 35 minutes ago, the second 30, the third 25
	all[5].Touch(p.now())
	p.Release(all[5], timeout)
	if n := p.Len(); n != 4 {
		t.Fatalf("%d are left, want 4", n)
	}
	for _, want := range []*Server{all[5], all[4], all[3], all[2]} {
		if got := p.Acquire(timeout); got != want {
			t.Errorf("got %p, want %p", got, want)
		}
	}
}

func TestReleasePrunesASingleSession(t *testing.T) {
	p, wait := testPool()
	old, s := p.Acquire(time.Hour), p.Acquire(time.Hour)
	p.Release(old, time.Hour)
	wait(2 * time.Hour)
	s.Touch(p.now())
	if p.Release(s, time.Hour); p.Len() != 1 || p.Acquire(time.Hour) != s {
		t.Error("the session at the bottom is still there")
	}
}

func TestTouchPostponesTheEnd(t *testing.T) {
	p, wait := testPool()
	s := p.Acquire(30 * time.Minute)
	wait(29 * time.Minute)
	s.Touch(p.now())
	wait(29 * time.Minute)
	if p.Release(s, 30*time.Minute); p.Len() != 1 {
		t.Error("a session that was just used was dropped")
	}
}

// Sessions, "Network errors".
func TestADirtySessionIsNotPooled(t *testing.T) {
	p, _ := testPool()
	s := p.Acquire(0)
	if s.IsDirty() {
		t.Error("a session begins dirty")
	}
	s.MarkDirty()
	if !s.IsDirty() {
		t.Error("it is not dirty")
	}
	if p.Release(s, 0); p.Len() != 0 {
		t.Error("it went back to the pool")
	}
}

func TestDrainReturnsEveryIDOnce(t *testing.T) {
	p, _ := testPool()
	a, b := p.Acquire(0), p.Acquire(0)
	p.Release(a, 0)
	p.Release(b, 0)
	ids := p.Drain()
	if len(ids) != 2 || !bytes.Equal(ids[0], a.ID()) || !bytes.Equal(ids[1], b.ID()) {
		t.Errorf("got %v", ids)
	}
	if p.Len() != 0 || len(p.Drain()) != 0 {
		t.Error("the pool is not empty")
	}
}

func TestTransactionNumbersCountFromOne(t *testing.T) {
	s := newServer(start)
	if s.TxnNumber() != 0 || s.NextTxnNumber() != 1 || s.NextTxnNumber() != 2 || s.TxnNumber() != 2 {
		t.Errorf("the number is %d", s.TxnNumber())
	}
	if c := s.clone(); c == s || !bytes.Equal(c.ID(), s.ID()) || c.TxnNumber() != 2 || !c.lastUse.IsZero() || c.IsDirty() {
		t.Errorf("the copy is %v", c)
	}
}

// Every method of the pool releases its lock.
func TestThePoolIsNeverLeftLocked(t *testing.T) {
	p, _ := testPool()
	s := p.Acquire(0)
	p.Release(s, 0)
	_ = p.Acquire(0)
	_ = p.Acquire(0)
	s.MarkDirty()
	p.Release(s, 0)
	_ = p.Drain()
	if !p.mu.TryLock() {
		t.Error("somebody still has the lock")
	}
}

// Sessions, "Algorithm to return a ServerSession instance to the server session pool": a release stops at the first
// session that lasts, although an older one may lie above it.
func TestReleaseStopsAtTheFirstSessionThatLasts(t *testing.T) {
	const timeout = 30 * time.Minute
	p, wait := testPool()
	older, newer, last := p.Acquire(timeout), p.Acquire(timeout), p.Acquire(timeout)
	wait(20 * time.Minute)
	newer.Touch(p.now())
	p.Release(newer, timeout)
	p.Release(older, timeout) // on top, and used before
	wait(15 * time.Minute)
	last.Touch(p.now())
	if p.Release(last, timeout); p.Len() != 3 {
		t.Errorf("%d are left, want 3", p.Len())
	}
}
