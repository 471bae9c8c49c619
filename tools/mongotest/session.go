package mongotest

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// sessionTimeoutMinutes is how long a session lives without use, unless localLogicalSessionTimeoutMinutes says otherwise.
const sessionTimeoutMinutes = 30

// sessions are the logical sessions of a deployment. All nodes share them, as the members of a cluster do.
type sessions struct {
	now                 func() time.Time
	timeoutMinutes      int
	transactionLifetime time.Duration
	ended               func(lsid bson.Raw) // called for each session that ends
	aborted             func(lsid bson.Raw) // called for each session whose transaction is aborted

	mu     sync.Mutex
	byKey  map[sessionKey]*session
	looked time.Time // when old sessions were looked for
}

// sessionKey tells sessions apart: users can choose the same UUID.
type sessionKey struct {
	owner principal
	id    [16]byte
}

// session is one logical session.
type session struct {
	id    bson.Raw
	owner principal

	lastUse time.Time   // guarded by the sessions' lock
	gone    atomic.Bool // it is forgotten: a command that was let in before may still use it, but begins no transaction

	mu        sync.Mutex // held while a command of the session runs: a session is used by one command at a time
	txnNumber int64      // the newest one seen, -1 before the first

	// retry is what that one has done. A failover reads it while a command of the session waits.
	retry atomic.Pointer[engine.Retry]

	// transaction is the one of that number, nil when it is a retryable write's.
	transaction atomic.Pointer[transaction]
}

// sessionUse is a command's use of a session.
type sessionUse struct {
	*session
	txnNumber     *int64
	startsTxn     bool
	inTransaction bool
	open          *transaction // that of the statement
	release       func()       // lets another command use the session while this one waits for other members
}

func newSessions(c *config) *sessions {
	s := &sessions{now: c.now, timeoutMinutes: sessionTimeoutMinutes, transactionLifetime: transactionLifetime, byKey: map[sessionKey]*session{}}
	if minutes, ok := c.parameters["localLogicalSessionTimeoutMinutes"].(int); ok && minutes > 0 {
		s.timeoutMinutes = minutes
	}
	if seconds, ok := c.parameters["transactionLifetimeLimitSeconds"].(int); ok && seconds > 0 {
		s.transactionLifetime = time.Duration(seconds) * time.Second
	}
	return s
}

func keyOf(owner principal, lsid bson.Raw) sessionKey {
	key := sessionKey{owner: owner}
	_, id, _ := lsid.Lookup("id").BinaryOK()
	copy(key.id[:], id)
	return key
}

// get finds the session of an lsid or begins it.
func (s *sessions) get(owner principal, lsid bson.Raw) *session {
	key, now := keyOf(owner, lsid), s.now()
	s.forgetOld(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byKey[key]
	if found == nil {
		found = &session{id: slices.Clone(lsid), owner: owner, txnNumber: -1}
		s.byKey[key] = found
	}
	found.lastUse = now
	return found
}

// forgetOld drops the sessions that have not been used for too long, once a minute.
func (s *sessions) forgetOld(now time.Time) {
	s.mu.Lock()
	if now.Sub(s.looked) < time.Minute {
		s.mu.Unlock()
		return
	}
	s.looked = now
	var gone []*session
	for key, old := range s.byKey {
		if now.Sub(old.lastUse) > time.Duration(s.timeoutMinutes)*time.Minute {
			delete(s.byKey, key)
			old.gone.Store(true)
			gone = append(gone, old)
		}
	}
	s.mu.Unlock()
	for _, old := range gone {
		s.abort(old, txnAborted)
		s.ended(old.id)
	}
}

// end forgets a session and closes what it has open.
func (s *sessions) end(owner principal, lsid bson.Raw) { s.kill(owner, lsid, true) }

// kill closes what a session has open; the session itself stays unless it is to be forgotten.
func (s *sessions) kill(owner principal, lsid bson.Raw, forget bool) {
	key := keyOf(owner, lsid)
	s.mu.Lock()
	found := s.byKey[key]
	if forget && found != nil {
		delete(s.byKey, key)
		found.gone.Store(true)
	}
	s.mu.Unlock()
	if found != nil {
		s.abort(found, txnAborted)
	}
	s.ended(lsid)
}

func (s *sessions) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.byKey))
}

// forget drops what the sessions remember of writes that are lost, so that a retry does them again.
func (s *sessions) forget(after store.Timestamp) {
	for _, one := range s.all() {
		if retry := one.retry.Load(); retry != nil {
			retry.Forget(after)
		}
		one.transaction.Load().lose(after)
	}
}

// runOnce runs the command, which may be a statement of a transaction. The statements of a retryable write that the session
// has done are not done again: the engine answers them as it did then.
func (d *Deployment) runOnce(r *request, c command) (bson.Raw, error) {
	if r.session == nil || r.session.txnNumber == nil || !r.session.inTransaction && !c.any(writes) {
		return c.run(r)
	}
	s, number := r.session.session, *r.session.txnNumber
	s.mu.Lock()
	r.session.release = sync.OnceFunc(s.mu.Unlock)
	defer r.session.release()
	if r.session.inTransaction {
		return d.runStatement(r, c)
	}
	if number < s.txnNumber {
		return nil, r.tooOld(number, s.txnNumber)
	}
	if number == s.txnNumber && s.transaction.Load() != nil {
		return nil, r.converted()
	}
	if number > s.txnNumber {
		d.sessions.abort(s, txnAborted)
		s.transaction.Store(nil)
		s.txnNumber = number
		s.retry.Store(engine.NewRetry())
	}
	return c.run(r)
}
