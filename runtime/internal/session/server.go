package session

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Server is a server session: the id under which a server remembers what a client did, and the number of the last
// transaction or retryable write. It is used by one goroutine at a time.
type Server struct {
	lsid      bson.Raw
	lastUse   time.Time
	txnNumber int64
	dirty     bool
	operation Client // the implicit session that uses it
}

func newServer() *Server {
	id := bson.NewUUID()
	dst, start := bson.AppendDocumentStart(make([]byte, 0, 32))
	dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, id[:])
	return &Server{lsid: bson.AppendDocumentEnd(dst, start)}
}

// ID is the document that commands carry as lsid. It is never changed.
func (s *Server) ID() bson.Raw { return s.lsid }

// TxnNumber is the number of the transaction or retryable write that was begun last, 0 when there was none.
func (s *Server) TxnNumber() int64 { return s.txnNumber }

// NextTxnNumber begins the next transaction or retryable write.
func (s *Server) NextTxnNumber() int64 {
	s.txnNumber++
	return s.txnNumber
}

// MarkDirty says that a command of the session ended in a network error: nobody knows what the server still does in it,
// so that it is not used again. Sessions, "Network errors".
func (s *Server) MarkDirty() { s.dirty = true }

// Dirty reports whether MarkDirty was called.
func (s *Server) Dirty() bool { return s.dirty }

// Touch notes that a command of the session was sent.
func (s *Server) Touch(now time.Time) { s.lastUse = now }

// expiresSoon reports whether the server will forget the session within a minute. Without a time-out, behind a load
// balancer, a session does not expire.
func (s *Server) expiresSoon(timeout time.Duration, now time.Time) bool {
	return timeout > 0 && now.Sub(s.lastUse) > timeout-time.Minute
}

// Pool holds the server sessions that nobody uses, the one that was used last on top. It is safe for concurrent use.
// Sessions, "Server session pool".
type Pool struct {
	now func() time.Time

	mu   sync.Mutex
	free []*Server
}

// NewPool makes an empty pool.
func NewPool() *Pool { return &Pool{now: time.Now} }

// Acquire takes a server session that will not expire soon, or makes one. timeout is the deployment's
// logicalSessionTimeoutMinutes, 0 for sessions that do not expire.
func (p *Pool) Acquire(timeout time.Duration) *Server {
	now := p.now()
	p.mu.Lock()
	for n := len(p.free); n > 0; n = len(p.free) {
		s := p.free[n-1]
		p.free[n-1] = nil
		p.free = p.free[:n-1]
		if !s.expiresSoon(timeout, now) {
			p.mu.Unlock()
			return s
		}
	}
	p.mu.Unlock()
	return newServer()
}

// Release gives a server session back. Sessions that are dirty or about to expire are dropped, those at the bottom of
// the pool included.
func (p *Pool) Release(s *Server, timeout time.Duration) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	stale := 0
	for stale < len(p.free) && p.free[stale].expiresSoon(timeout, now) {
		stale++
	}
	if stale > 0 {
		p.free = append(p.free[:0:0], p.free[stale:]...)
	}
	if s.dirty || s.lastUse.IsZero() || s.expiresSoon(timeout, now) {
		return
	}
	p.free = append(p.free, s)
}

// Drain empties the pool and returns the ids of its sessions, for endSessions.
func (p *Pool) Drain() []bson.Raw {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := make([]bson.Raw, len(p.free))
	for i, s := range p.free {
		ids[i] = s.lsid
	}
	p.free = nil
	return ids
}

// Len is the number of sessions in the pool.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free)
}
