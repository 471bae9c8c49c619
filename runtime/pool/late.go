package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
)

// lateReplyTimeout is how long a connection may wait for a reply that its operation has given up. The server has the
// operation's maxTimeMS, so that the reply of one that is merely overloaded comes soon.
const lateReplyTimeout = time.Second

// finishLater reads the late reply of a connection that comes back, if there is one, and then gives the connection back.
// Until then it counts as in use. It reports false when there is nothing to wait for.
func (p *Pool[C]) finishLater(c *Connection[C]) bool {
	conn, ok := any(c.Conn).(LateConn)
	if !ok || !conn.Late() || conn.Broken() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == cmap.PoolClosed || c.interrupted.Load() || p.stale(c) {
		return false // it is closed anyway
	}
	c.finishing = true
	p.background.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, lateReplyTimeout)
		defer cancel()
		conn.FinishReply(ctx) // an error has broken the connection
		p.mu.Lock()
		c.finishing = false
		p.mu.Unlock()
		p.giveBack(c)
	})
	return true
}
