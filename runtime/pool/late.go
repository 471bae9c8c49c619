package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
)

// lateReplyTimeout is how long a connection may wait for a reply that its operation no longer waits for. The server
// knows the operation's maxTimeMS, so a server that is merely overloaded replies soon.
const lateReplyTimeout = time.Second

// finishLateReply starts to read the late reply of a returned connection, if there is one, after which the connection
// is given back. Until then the connection counts as in use. It reports false if there is nothing to wait for.
func (p *Pool[C]) finishLateReply(c *Connection[C]) bool {
	conn, ok := any(c.Conn).(LateConn)
	if !ok || !conn.AwaitsLateReply() || conn.IsBroken() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == cmap.PoolClosed || c.interrupted.Load() || p.isStale(c) {
		return false // it will be closed anyway
	}
	c.finishing = true
	p.background.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, lateReplyTimeout)
		defer cancel()
		conn.FinishReply(ctx) // an error marks the connection as broken
		p.mu.Lock()
		c.finishing = false
		p.mu.Unlock()
		p.giveBack(c)
	})
	return true
}
