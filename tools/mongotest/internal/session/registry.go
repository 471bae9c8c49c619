package session

import (
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// timeoutMinutes is the default of Config.TimeoutMinutes.
const timeoutMinutes = 30

// Config is what a Registry is made from.
type Config struct {
	Now                 func() time.Time
	TimeoutMinutes      int                  // how long an unused session lives; 0 is 30
	TransactionLifetime func() time.Duration // how long a transaction stays open; nil is without a limit

	Standalone bool // transaction numbers are refused
	Router     bool // a transaction is known only to the node that began it
	Store      *store.Store
	Set        *replica.Set // nil outside a replica set

	Ended   func(lsid bson.Raw) // a session has ended or was killed
	Aborted func(lsid bson.Raw) // the transaction of a session was aborted or committed
}

// Registry is the sessions of a deployment. Its methods are safe for concurrent use.
type Registry struct {
	Config

	mu     sync.Mutex
	byKey  map[key]*Session
	looked time.Time // when old sessions were last looked for
}

// key tells sessions apart. Two users can choose the same UUID.
type key struct {
	owner login.Principal
	id    [16]byte
}

// Session is one logical session.
type Session struct {
	ID    bson.Raw
	owner login.Principal

	lastUse time.Time   // guarded by the registry's lock
	gone    atomic.Bool // it has ended: a command that was let in before may still use it, but begins no transaction

	// turn holds one token while no command of the session runs: one command at a time. It is a channel, not a lock, because
	// the command that has the turn may wait, and a goroutine that waits for a lock stops the clock of a synctest bubble.
	turn      chan struct{}
	txnNumber int64 // the newest one seen, -1 before the first

	// retry is what the retryable write with that number has done. A failover reads it while a command of the session waits.
	retry atomic.Pointer[engine.Retry]

	// transaction is the one with that number, nil when the number belongs to a retryable write.
	transaction atomic.Pointer[Transaction]
}

// New makes a registry without sessions.
func New(c Config) *Registry {
	if c.TimeoutMinutes <= 0 {
		c.TimeoutMinutes = timeoutMinutes
	}
	if c.TransactionLifetime == nil {
		c.TransactionLifetime = func() time.Duration { return math.MaxInt64 }
	}
	return &Registry{Config: c, byKey: map[key]*Session{}}
}

func keyOf(owner login.Principal, lsid bson.Raw) key {
	k := key{owner: owner}
	_, id, _ := lsid.Lookup("id").BinaryOK()
	copy(k.id[:], id)
	return k
}

// get finds the session of an lsid or starts it.
func (s *Registry) get(owner login.Principal, lsid bson.Raw) *Session {
	k, now := keyOf(owner, lsid), s.Now()
	s.endOld(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byKey[k]
	if found == nil {
		found = &Session{ID: slices.Clone(lsid), owner: owner, txnNumber: -1, turn: make(chan struct{}, 1)}
		found.turn <- struct{}{}
		s.byKey[k] = found
	}
	found.lastUse = now
	return found
}

// EndOld ends the sessions that have not been used for too long, now.
func (s *Registry) EndOld() {
	s.mu.Lock()
	s.looked = time.Time{}
	s.mu.Unlock()
	s.endOld(s.Now())
}

// endOld ends the sessions that have not been used for too long. It looks for them once a minute.
func (s *Registry) endOld(now time.Time) {
	s.mu.Lock()
	if now.Sub(s.looked) < time.Minute {
		s.mu.Unlock()
		return
	}
	s.looked = now
	var gone []*Session
	for k, old := range s.byKey {
		if now.Sub(old.lastUse) > time.Duration(s.TimeoutMinutes)*time.Minute {
			delete(s.byKey, k)
			old.gone.Store(true)
			gone = append(gone, old)
		}
	}
	s.mu.Unlock()
	for _, old := range gone {
		s.abort(old, aborted)
		s.Ended(old.ID)
	}
}

// end forgets a session and closes what it has open.
func (s *Registry) end(owner login.Principal, lsid bson.Raw) { s.kill(owner, lsid, true) }

// kill closes what a session has open. The session itself stays unless it is to be forgotten.
func (s *Registry) kill(owner login.Principal, lsid bson.Raw, forget bool) {
	k := keyOf(owner, lsid)
	s.mu.Lock()
	found := s.byKey[k]
	if forget && found != nil {
		delete(s.byKey, k)
		found.gone.Store(true)
	}
	s.mu.Unlock()
	if found != nil {
		s.abort(found, aborted)
	}
	s.Ended(lsid)
}

// Count is how many sessions there are.
func (s *Registry) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byKey)
}

func (s *Registry) all() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.byKey))
}

// Forget drops what the sessions remember of lost writes, so that a retry executes them again.
func (s *Registry) Forget(after store.Timestamp) {
	for _, one := range s.all() {
		if retry := one.retry.Load(); retry != nil {
			retry.Forget(after)
		}
		one.transaction.Load().lose(after)
	}
}
