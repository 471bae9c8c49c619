package session

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// Server is a server session: the id under which a server keeps the state of a client, and the number of the last
// transaction or retryable write. Only one goroutine uses it at a time.
type Server struct {
	lsid      bson.Raw
	lastUse   time.Time
	txnNumber int64
	dirty     atomic.Bool
	pooled    poison.Mark
	operation Client // the implicit session that uses it
}

func newServer(now time.Time) *Server {
	id := bson.NewUUID()
	dst, start := bson.AppendDocumentStart(make([]byte, 0, 32))
	dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, id[:])
	return &Server{lsid: bson.AppendDocumentEnd(dst, start), lastUse: now}
}

// copy is a server session of its own with the same state on the server. It has not been used.
func (s *Server) copy() *Server { return &Server{lsid: s.lsid, txnNumber: s.txnNumber} }

// learn takes over what has become of a copy. Nothing else uses the session meanwhile.
func (s *Server) learn(from *Server) {
	if from.Dirty() {
		s.MarkDirty()
	}
	if from.lastUse.After(s.lastUse) {
		s.lastUse = from.lastUse
	}
}

// ID is the document that commands send as lsid. It never changes.
func (s *Server) ID() bson.Raw { return s.lsid }

// TxnNumber is the number of the transaction or retryable write that started last. It is 0 when there was none.
func (s *Server) TxnNumber() int64 { return s.txnNumber }

// NextTxnNumber starts the next transaction or retryable write.
func (s *Server) NextTxnNumber() int64 {
	s.pooled.InUse()
	s.txnNumber++
	return s.txnNumber
}

// MarkDirty records that a command of the session ended in a network error. The server may still be running the
// command, so the session is not used again. Sessions, "Network errors".
func (s *Server) MarkDirty() {
	s.pooled.InUse()
	s.dirty.Store(true)
}

// Dirty reports whether MarkDirty was called.
func (s *Server) Dirty() bool { return s.dirty.Load() }

// Touch records that a command of the session was sent.
func (s *Server) Touch(now time.Time) {
	s.pooled.InUse()
	s.lastUse = now
}

// expiresSoon reports whether the server will drop the session within SessionMargin. A session without a timeout, as behind
// a load balancer, does not expire.
func (s *Server) expiresSoon(timeout time.Duration, now time.Time) bool {
	return timeout > 0 && now.Sub(s.lastUse) > timeout-txn.SessionMargin
}

// Pool holds the server sessions that are not in use. The one that was used last is on top. It is safe for concurrent
// use. Sessions, "Server session pool".
type Pool struct {
	now func() time.Time

	mu   sync.Mutex
	free []*Server
}

// NewPool makes an empty pool.
func NewPool() *Pool { return &Pool{now: time.Now} }

// Acquire returns a server session that will not expire soon. It makes one if the pool has none. timeout is the
// deployment's logicalSessionTimeoutMinutes, 0 for sessions that do not expire.
func (p *Pool) Acquire(timeout time.Duration) *Server {
	now := p.now()
	p.mu.Lock()
	for n := len(p.free); n > 0; n = len(p.free) {
		s := p.free[n-1]
		p.free[n-1] = nil
		p.free = p.free[:n-1]
		if !s.expiresSoon(timeout, now) {
			p.mu.Unlock()
			s.pooled.ComesOut()
			return s
		}
	}
	p.mu.Unlock()
	return newServer(now)
}

// Release gives a server session back. It drops sessions that are dirty or about to expire, including the ones at the
// bottom of the pool.
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
	s.pooled.GoesBack()
	if s.Dirty() || s.expiresSoon(timeout, now) {
		return
	}
	p.free = append(p.free, s)
}

// Drain empties the pool and returns the ids of its sessions for endSessions.
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
