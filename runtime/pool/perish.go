package pool

import (
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/generated/event"
)

// reasonToDiscard returns why a returned connection must be closed, or "" if the connection is still good. The mutex is
// held.
func (p *Pool[C]) reasonToDiscard(c *Connection[C], broken, settled bool) event.ClosedReason {
	switch {
	case p.state == cmap.PoolClosed:
		return event.ClosedPoolClosed
	case c.interrupted.Load():
		return event.ClosedStale
	case broken:
		return event.ClosedError
	case p.isStale(c):
		return event.ClosedStale
	case !settled:
		return event.ClosedError
	}
	return ""
}

// reasonToClose returns why an available connection must not be used, or "" if it may be used. The mutex is held.
//
// CMAP, "Connection": Perishable.
func (p *Pool[C]) reasonToClose(c *Connection[C]) event.ClosedReason {
	switch {
	case p.isStale(c):
		return event.ClosedStale
	case p.lim.maxIdleTime > 0 && time.Since(c.idleSince) > p.lim.maxIdleTime:
		return event.ClosedIdle
	case c.Conn.IsBroken():
		return event.ClosedError
	}
	return ""
}

// destroy closes a connection that is neither in use nor available. It frees the connection's place only after the
// event, so an observer never counts more connections than maxPoolSize.
//
// CMAP, "Closing a Connection".
func (p *Pool[C]) destroy(c *Connection[C], reason event.ClosedReason, err error) {
	p.publishConnectionClosed(c, reason, err)
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
		reason, err := p.perishReason(c, false)
		p.destroy(c, reason, err)
	}
}

// perishReason returns why an idle connection is closed. dead says that the server has closed it.
func (p *Pool[C]) perishReason(c *Connection[C], dead bool) (event.ClosedReason, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if dead {
		return p.reasonToDiscard(c, true, true), errIdleClosed
	}
	return p.reasonToClose(c), errIdleBroken
}

// These are the reasons for closing idle connections.
var (
	errIdleClosed = errors.New("the server closed the connection while it was idle")
	errIdleBroken = errors.New("the connection broke while it was idle")
)
