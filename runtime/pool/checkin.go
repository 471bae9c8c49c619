package pool

import (
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// These are mistakes of the caller of CheckIn, and the reasons for closing connections.
var (
	errForeign    = errors.New("pool: the connection belongs to another pool")
	errNotInUse   = errors.New("pool: the connection is not checked out")
	errBrokenConn = errors.New("the connection broke while it was in use")
	errUnsettled  = errors.New("the operation left a reply outstanding")
	errIdleClosed = errors.New("the server closed the connection while it was idle")
	errIdleBroken = errors.New("the connection broke while it was idle")
)

// CheckIn gives a connection back. If the connection is broken, not settled, stale or interrupted, or the pool is closed, it
// is closed. Otherwise the check-out that has waited longest gets it.
//
// CMAP, "Checking In a Connection".
func (p *Pool[C]) CheckIn(c *Connection[C]) error {
	if c.pool != p {
		return errForeign
	}
	if !c.inUse.CompareAndSwap(true, false) {
		return errNotInUse
	}
	if p.finishLater(c) {
		return nil
	}
	p.giveBack(c)
	return nil
}

// giveBack does the work of CheckIn when no reply is outstanding.
func (p *Pool[C]) giveBack(c *Connection[C]) {
	p.checkedIn(c)
	broken, settled := c.Conn.Broken(), isSettled(c.Conn)
	p.mu.Lock()
	if c.pin != NotPinned {
		c.setPin(NotPinned)
	}
	if reason := p.unfit(c, broken, settled); reason != "" {
		p.mu.Unlock()
		var err error
		if reason == event.ClosedError {
			err = errBrokenConn
			if !broken {
				err = errUnsettled
			}
		}
		p.destroy(c, reason, err)
		if p.lim.minPoolSize > 0 {
			p.scheduleRun()
		}
		return
	}
	rest(c, true)
	w := p.offer(c)
	p.mu.Unlock()
	if w != nil {
		rest(c, false)
		w.granted <- grant[C]{conn: c}
	}
}

// rest notes that a connection is in the pool, or no longer, in a build with the tag poison.
func rest[C Conn](c *Connection[C], resting bool) {
	if !poison.On {
		return
	}
	if conn, ok := any(c.Conn).(restingConn); ok {
		conn.Rest(resting)
	}
}

func isSettled(c Conn) bool {
	conn, ok := c.(SettledConn)
	return !ok || conn.Settled()
}

// unfit says why a returned connection must be closed. It is empty when the connection is still good. The mutex is
// held.
func (p *Pool[C]) unfit(c *Connection[C], broken, settled bool) event.ClosedReason {
	switch {
	case p.state == cmap.PoolClosed:
		return event.ClosedPoolClosed
	case c.interrupted.Load():
		return event.ClosedStale
	case broken:
		return event.ClosedError
	case p.stale(c):
		return event.ClosedStale
	case !settled:
		return event.ClosedError
	}
	return ""
}

// offer assigns a connection to the first waiter and returns that waiter. Without a waiter it makes the connection
// available. The mutex is held. The caller delivers the grant after it has released the mutex.
func (p *Pool[C]) offer(c *Connection[C]) *waiter[C] {
	if w := p.waiting.take(); w != nil {
		c.inUse.Store(true)
		return w
	}
	c.idleRun = p.runs
	if p.lim.maxIdleTime > 0 {
		c.idleSince = time.Now()
	}
	p.available = append(p.available, c)
	return nil
}

// destroy closes a connection that is neither in use nor available. It frees the connection's place only after the
// event, so an observer never counts more connections than maxPoolSize.
//
// CMAP, "Closing a Connection".
func (p *Pool[C]) destroy(c *Connection[C], reason event.ClosedReason, err error) {
	p.connectionClosed(c, reason, err)
	p.mu.Lock()
	p.remove(c)
	granted := p.grantPlaces()
	p.mu.Unlock()
	deliver(granted, grant[C]{})
	if c.opened {
		c.Conn.Close() // an error only means that the socket was already closed
	}
}

// remove frees the place of a closed connection. The mutex is held.
func (p *Pool[C]) remove(c *Connection[C]) {
	p.all.remove(c)
	p.total--
	if c.pending {
		c.pending = false
		p.pending--
	}
	p.leaveService(c)
}

// destroyPerished closes connections that were removed from the available ones.
func (p *Pool[C]) destroyPerished(perished []*Connection[C]) {
	for _, c := range perished {
		reason, err := p.whyPerished(c, false)
		p.destroy(c, reason, err)
	}
}

// whyPerished says why an idle connection is closed: the server has closed it if it is dead.
func (p *Pool[C]) whyPerished(c *Connection[C], dead bool) (event.ClosedReason, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if dead {
		return p.unfit(c, true, true), errIdleClosed
	}
	return p.perished(c), errIdleBroken
}
