package session

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
)

// Pool holds the server sessions that are not in use. The one that was used last is on top. It is safe for concurrent
// use. Sessions, "Server session pool".
type Pool struct {
	mu   sync.Mutex
	free []*Server
}

// NewPool makes an empty pool.
func NewPool() *Pool { return new(Pool) }

// Acquire returns a server session that will not expire soon. It makes one if the pool has none. timeout is the
// deployment's logicalSessionTimeoutMinutes, 0 for sessions that do not expire.
func (p *Pool) Acquire(timeout time.Duration, now time.Time) *Server {
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
func (p *Pool) Release(s *Server, timeout time.Duration, now time.Time) {
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
	if s.IsDirty() || s.expiresSoon(timeout, now) {
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
