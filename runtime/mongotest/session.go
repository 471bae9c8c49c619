package mongotest

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/engine"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// sessionTimeoutMinutes is how long a session lives without use, unless localLogicalSessionTimeoutMinutes says otherwise.
const sessionTimeoutMinutes = 30

// sessions are the logical sessions of a deployment. All nodes share them, as the members of a cluster do.
type sessions struct {
	now            func() time.Time
	timeoutMinutes int

	mu     sync.Mutex
	byID   map[string]*session
	looked time.Time // when old sessions were looked for
}

// session is one logical session.
type session struct {
	id bson.Raw

	mu        sync.Mutex // held while a command of the session runs: a session is used by one command at a time
	lastUse   time.Time
	txnNumber int64 // the newest one seen, -1 before the first

	// retry is what that one has done. A failover reads it while a command of the session waits.
	retry atomic.Pointer[engine.Retry]
}

// sessionUse is a command's use of a session.
type sessionUse struct {
	*session
	txnNumber     *int64
	startsTxn     bool
	inTransaction bool
	release       func() // lets another command use the session while this one waits for other members
}

func newSessions(c *config) *sessions {
	s := &sessions{now: c.now, timeoutMinutes: sessionTimeoutMinutes, byID: map[string]*session{}}
	if minutes, ok := c.parameters["localLogicalSessionTimeoutMinutes"].(int); ok && minutes > 0 {
		s.timeoutMinutes = minutes
	}
	return s
}

// get finds the session of an lsid or begins it.
func (s *sessions) get(lsid bson.Raw) *session {
	_, id, _ := lsid.Lookup("id").BinaryOK()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.forgetOld(now)
	found := s.byID[string(id)]
	if found == nil {
		found = &session{id: lsid, txnNumber: -1}
		s.byID[string(id)] = found
	}
	found.lastUse = now
	return found
}

// forgetOld drops the sessions that have not been used for too long, once a minute.
func (s *sessions) forgetOld(now time.Time) {
	if now.Sub(s.looked) < time.Minute {
		return
	}
	s.looked = now
	for key, old := range s.byID {
		if now.Sub(old.lastUse) > time.Duration(s.timeoutMinutes)*time.Minute {
			delete(s.byID, key)
		}
	}
}

func (s *sessions) end(lsid bson.Raw) {
	_, id, _ := lsid.Lookup("id").BinaryOK()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, string(id))
}

func (s *sessions) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*session, 0, len(s.byID))
	for _, one := range s.byID {
		out = append(out, one)
	}
	return out
}

// forget drops what the sessions remember of writes that are lost, so that a retry does them again.
func (s *sessions) forget(after store.Timestamp) {
	for _, one := range s.all() {
		if retry := one.retry.Load(); retry != nil {
			retry.Forget(after)
		}
	}
}

// openSession reads the session fields of a command.
func (d *Deployment) openSession(r *request, c command) error {
	lsid, ok := r.body.Lookup("lsid").DocumentOK()
	if !ok {
		if !r.body.Lookup("txnNumber").IsZero() {
			return status.Errorf(errcode.InvalidOptions, "Transaction number requires a session ID to also be specified")
		}
		return nil
	}
	if _, id, ok := lsid.Lookup("id").BinaryOK(); !ok || len(id) != 16 {
		return status.Errorf(errcode.BadValue, "the lsid's id is not a UUID")
	}
	use := &sessionUse{session: d.sessions.get(lsid)}
	if n, ok := r.body.Lookup("txnNumber").Int64OK(); ok {
		use.txnNumber = &n
		if d.config.kind == standalone {
			return status.Errorf(errcode.IllegalOperation,
				"Transaction numbers are only allowed on a replica set member or mongos")
		}
	}
	if auto, ok := r.body.Lookup("autocommit").BooleanOK(); ok && !auto {
		use.inTransaction = true
		use.startsTxn = r.flag("startTransaction")
	}
	r.session = use
	return nil
}

// runOnce runs the command. The statements of a retryable write that the session has done are not done again: the engine
// answers them as it did then.
func (d *Deployment) runOnce(r *request, c command) (bson.Raw, error) {
	if r.session == nil || r.session.txnNumber == nil || r.session.inTransaction || !c.any(writes) {
		return c.run(r)
	}
	s, number := r.session.session, *r.session.txnNumber
	s.mu.Lock()
	r.session.release = sync.OnceFunc(s.mu.Unlock)
	defer r.session.release()
	if number < s.txnNumber {
		return nil, status.Errorf(errcode.TransactionTooOld,
			"Retryable write with txnNumber %d is prohibited on session because a newer retryable write with txnNumber %d has already started", number, s.txnNumber)
	}
	if number > s.txnNumber {
		s.txnNumber = number
		s.retry.Store(engine.NewRetry())
	}
	return c.run(r)
}

func sessionCommands() []command {
	return []command{
		{name: "startSession", run: startSession},
		{name: "endSessions", traits: apiV1, run: endSessions},
		{name: "refreshSessions", run: refreshSessions},
		{name: "killSessions", run: endSessions},
		{name: "killAllSessions", run: killAllSessions},
		{name: "killAllSessionsByPattern", run: killAllSessions},
	}
}

// startSession begins a session and answers with its id.
func startSession(r *request) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	id := bson.NewUUID()
	dst = bson.AppendBinaryElement(dst, "id", 4, id[:])
	lsid := bson.Raw(bson.AppendDocumentEnd(dst, start))
	r.d.sessions.get(lsid)
	return newReply().doc("id", lsid).int32("timeoutMinutes", int32(r.d.sessions.timeoutMinutes)).done(), nil
}

// endSessions answers endSessions and killSessions: the sessions that it names are forgotten, and their cursors closed.
func endSessions(r *request) (bson.Raw, error) {
	for _, lsid := range r.lsids() {
		r.d.sessions.end(lsid)
		r.d.data.engine.Cursors().KillSession(lsid)
	}
	return newReply().done(), nil
}

// refreshSessions keeps the sessions that it names alive.
func refreshSessions(r *request) (bson.Raw, error) {
	for _, lsid := range r.lsids() {
		r.d.sessions.get(lsid)
	}
	return newReply().done(), nil
}

// killAllSessions forgets every session, whichever users or patterns it names. Left out: the filter.
func killAllSessions(r *request) (bson.Raw, error) {
	for _, s := range r.d.sessions.all() {
		r.d.sessions.end(s.id)
		r.d.data.engine.Cursors().KillSession(s.id)
	}
	return newReply().done(), nil
}

func (r *request) lsids() []bson.Raw {
	array, _ := r.body.Lookup(r.name).ArrayOK()
	var out []bson.Raw
	for _, value := range array.All() {
		if lsid, ok := value.DocumentOK(); ok {
			out = append(out, lsid)
		}
	}
	return out
}

// localSessions lists the sessions for the stage $listLocalSessions.
func (d *Deployment) localSessions(_ *engine.Request, _ bson.Raw) ([]bson.Raw, error) {
	var list []bson.Raw
	for _, s := range d.sessions.all() {
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendDocumentElement(dst, "_id", s.id)
		dst = bson.AppendDateTimeElement(dst, "lastUse", d.config.now().UnixMilli())
		list = append(list, bson.AppendDocumentEnd(dst, start))
	}
	return list, nil
}
