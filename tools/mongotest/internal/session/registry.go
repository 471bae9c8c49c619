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

// Config configures a Registry.
type Config struct {
	Now                 func() time.Time
	TimeoutMinutes      int                  // how long an unused session lives; 0 is 30
	TransactionLifetime func() time.Duration // how long a transaction stays open; nil means no limit

	Standalone bool // refuses transaction numbers
	Router     bool // the nodes are routers in front of the shard
	Shard      string
	Store      *store.Store
	Set        *replica.Set // nil outside a replica set

	Ended   func(lsid bson.Raw) // a session ended or was killed
	Aborted func(lsid bson.Raw) // the transaction of a session was aborted or committed
}

// Registry holds the sessions of a deployment. Its methods are safe for concurrent use.
type Registry struct {
	Config

	mu     sync.Mutex
	byKey  map[key]*Session
	looked time.Time // the last search for old sessions
}

// key identifies a session. Two users can choose the same UUID.
type key struct {
	owner login.Principal
	id    [16]byte
}

// Session is one logical session.
type Session struct {
	ID    bson.Raw
	owner login.Principal

	lastUse time.Time   // guarded by the registry's lock
	gone    atomic.Bool // it has ended; an admitted command may still use it but begins no transaction

	// turn holds one token while no command of the session runs: one command at a time. It is a channel, not a lock,
	// because the command that has the turn may wait, and a goroutine that waits for a lock stops the clock of a
	// synctest bubble.
	turn      chan struct{}
	txnNumber int64 // the newest one seen, -1 before the first

	routers map[int]*routerState // by their numbers, guarded by the turn

	// retry records what the retryable write with that number has done. A failover reads it while a command of the
	// session waits.
	retry atomic.Pointer[engine.Retry]

	// transaction is the transaction with that number. It is nil if the number belongs to a retryable write.
	transaction atomic.Pointer[Transaction]
}

// New makes an empty Registry.
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

// EndOld ends unused sessions past their timeout, without waiting for the next search.
func (s *Registry) EndOld() {
	s.mu.Lock()
	s.looked = time.Time{}
	s.mu.Unlock()
	s.endOld(s.Now())
}

// endOld ends unused sessions past their timeout. It searches for them once a minute.
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

// end removes a session and closes everything it has open.
func (s *Registry) end(owner login.Principal, lsid bson.Raw) { s.kill(owner, lsid, true) }

// kill closes everything a session has open. forget also removes the session.
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

// Count returns the number of sessions.
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

// Forget drops the sessions' records of lost writes, so a retry executes those writes again.
func (s *Registry) Forget(after store.Timestamp) {
	for _, one := range s.all() {
		if retry := one.retry.Load(); retry != nil {
			retry.Forget(after)
		}
		one.transaction.Load().lose(after)
	}
}

// The states of a transaction.
const (
	inProgress int32 = iota
	committing
	committed
	aborted
	forgotten // the primary that knew it is gone, or its writes are lost
)

// Transaction is the newest transaction of a session. One statement runs at a time, but another goroutine may abort the
// transaction meanwhile.
type Transaction struct {
	txn   *store.Txn
	began time.Time
	term  replica.Term // the term in which it began

	state atomic.Int32
	at    atomic.Uint64 // the time of the commit, set before its state
}

// abort aborts the session's open transaction, if there is one. The caller must not hold the registry's lock, because
// the store's lock comes before it.
func (s *Registry) abort(one *Session, become int32) {
	t := one.transaction.Load()
	if t == nil || !t.state.CompareAndSwap(inProgress, become) {
		return
	}
	t.txn.Abort()
	s.Aborted(one.ID)
}

// lose records that the transaction's writes are lost if it committed after a time.
func (t *Transaction) lose(after store.Timestamp) {
	if t != nil && store.Timestamp(t.at.Load()) > after {
		t.state.CompareAndSwap(committed, forgotten)
	}
}
