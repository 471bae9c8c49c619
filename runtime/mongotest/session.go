package mongotest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
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
	ended          func(lsid bson.Raw) // called for each session that ends

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

	lastUse time.Time // guarded by the sessions' lock

	mu        sync.Mutex // held while a command of the session runs: a session is used by one command at a time
	txnNumber int64      // the newest one seen, -1 before the first

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
	s := &sessions{now: c.now, timeoutMinutes: sessionTimeoutMinutes, byKey: map[sessionKey]*session{}}
	if minutes, ok := c.parameters["localLogicalSessionTimeoutMinutes"].(int); ok && minutes > 0 {
		s.timeoutMinutes = minutes
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
	key := keyOf(owner, lsid)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.forgetOld(now)
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
	if now.Sub(s.looked) < time.Minute {
		return
	}
	s.looked = now
	for key, old := range s.byKey {
		if now.Sub(old.lastUse) > time.Duration(s.timeoutMinutes)*time.Minute {
			delete(s.byKey, key)
			s.ended(old.id)
		}
	}
}

func (s *sessions) end(owner principal, lsid bson.Raw) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byKey, keyOf(owner, lsid))
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
	}
}

// openSession reads the session fields of a command, with the checks of a server in their order.
func (d *Deployment) openSession(r *request, c command) error {
	lsid, number := r.body.Lookup("lsid"), r.body.Lookup("txnNumber")
	if lsid.IsZero() && number.IsZero() && r.body.Lookup("autocommit").IsZero() && r.body.Lookup("startTransaction").IsZero() {
		return nil
	}
	use, err := r.sessionFields(lsid, number)
	if err != nil {
		return err
	}
	if c.any(beforeAuth) {
		if !r.body.Lookup("autocommit").IsZero() {
			return status.Errorf(errcode.OperationNotSupportedInTransaction, "This command is not supported in transactions")
		}
		if !number.IsZero() {
			return status.Errorf(errcode.Location50889, "It is illegal to provide a txnNumber for this command")
		}
		if d.config.requireAuth && len(r.conn.principals) == 0 {
			return nil // nobody's session
		}
	}
	if doc, ok := lsid.DocumentOK(); ok {
		use.session = d.sessions.get(r.owner(), doc)
	} else if !number.IsZero() {
		return status.Errorf(errcode.InvalidOptions, "Transaction number requires a session ID to also be specified")
	}
	if err := r.checkTransaction(use); err != nil {
		return err
	}
	if use.txnNumber != nil && !use.inTransaction && !retryable[r.name] {
		return status.Errorf(errcode.NotARetryableWriteCommand, "txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and %s is not a retryable write command.", r.name)
	}
	if use.session != nil {
		r.session = use
	}
	return nil
}

// retryable are the commands that a transaction number alone makes retryable.
var retryable = map[string]bool{
	"insert": true, "update": true, "delete": true, "findAndModify": true, "findandmodify": true, "bulkWrite": true,
}

// owner is whose sessions the connection uses: with authentication each user has their own.
func (r *request) owner() principal {
	if !r.d.config.requireAuth || len(r.conn.principals) == 0 {
		return principal{}
	}
	return r.conn.principals[0]
}

// sessionFields reads the fields by their types.
func (r *request) sessionFields(lsid, number bson.RawValue) (*sessionUse, error) {
	const path = "OperationSessionInfo"
	use := &sessionUse{}
	if !lsid.IsZero() {
		if err := checkLSID(path+".lsid", lsid); err != nil {
			return nil, err
		}
	}
	if !number.IsZero() {
		n, ok := number.Int64OK()
		if !ok {
			return nil, wrongType(path+".txnNumber", number, "long")
		}
		use.txnNumber = &n
	}
	for _, name := range [...]string{"autocommit", "startTransaction"} {
		if value := r.body.Lookup(name); !value.IsZero() && value.Type != bsontype.Boolean {
			return nil, wrongType(path+"."+name, value, "bool")
		}
	}
	return use, nil
}

// checkLSID refuses what is no session id.
func checkLSID(path string, value bson.RawValue) error {
	lsid, ok := value.DocumentOK()
	if !ok {
		return wrongType(path, value, "object")
	}
	for key := range lsid.All() {
		switch key {
		case "id", "uid", "txnNumber", "txnUUID":
		default:
			return status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", path, key)
		}
	}
	id := lsid.Lookup("id")
	if id.IsZero() {
		return status.Errorf(errcode.Location40414, "BSON field '%s.id' is missing but a required field", path)
	}
	subtype, data, ok := id.BinaryOK()
	switch {
	case !ok:
		return wrongType(path+".id", id, "binData")
	case subtype != bsontype.BinaryUUID:
		return status.Errorf(errcode.TypeMismatch, "BSON field '%s.id' is the wrong binData type '%s', expected type 'UUID'", path, binaryName(subtype))
	case len(data) != 16:
		return status.Errorf(errcode.InvalidUUID, "uuid must be a 16-byte binary field with UUID (4) subtype")
	}
	return nil
}

// binaryName is what a server calls a subtype of binary data.
func binaryName(subtype byte) string {
	switch subtype {
	case bsontype.BinaryGeneric:
		return "general"
	case bsontype.BinaryFunction:
		return "function"
	case bsontype.BinaryMD5:
		return "MD5"
	}
	return fmt.Sprint(subtype)
}

// checkTransaction refuses transaction fields that do not go together.
func (r *request) checkTransaction(use *sessionUse) error {
	auto, hasAuto := r.body.Lookup("autocommit").BooleanOK()
	start, hasStart := r.body.Lookup("startTransaction").BooleanOK()
	invalid := func(message string) error { return status.Errorf(errcode.InvalidOptions, "%s", message) }
	switch {
	case use.txnNumber != nil && r.d.config.kind == standalone:
		return status.Errorf(errcode.IllegalOperation, "Transaction numbers are only allowed on a replica set member or mongos")
	case use.txnNumber != nil && *use.txnNumber < 0:
		return invalid("Transaction number cannot be negative")
	case use.txnNumber == nil && hasAuto:
		return invalid("'autocommit' field requires a transaction number to also be specified")
	case auto:
		return invalid("Specifying autocommit=true is not allowed.")
	case !hasAuto && hasStart:
		return invalid("'startTransaction' field requires 'autocommit' field to also be specified")
	case hasStart && !start:
		return invalid("Specifying startTransaction=false is not allowed.")
	}
	use.inTransaction, use.startsTxn = hasAuto, start
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
		return nil, r.tooOld(number, s.txnNumber)
	}
	if number > s.txnNumber {
		s.txnNumber = number
		s.retry.Store(engine.NewRetry())
	}
	return c.run(r)
}
