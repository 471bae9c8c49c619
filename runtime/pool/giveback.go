package pool

import (
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// These are the reasons for closing connections that come back.
var (
	errBrokenConn = errors.New("the connection broke while it was in use")
	errUnsettled  = errors.New("the operation left a reply outstanding")
)

// giveBack does the work of CheckIn when no reply is outstanding.
func (p *Pool[C]) giveBack(c *Connection[C]) {
	p.publishCheckedIn(c)
	broken, settled := c.Conn.IsBroken(), isSettled(c.Conn)
	p.mu.Lock()
	if c.pin != NotPinned {
		c.setPin(NotPinned)
	}
	if reason := p.reasonToDiscard(c, broken, settled); reason != "" {
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
	setResting(c, true)
	w := p.offer(c)
	p.mu.Unlock()
	if w != nil {
		setResting(c, false)
		w.granted <- grant[C]{conn: c}
	}
}

// setResting notes, in a build with the tag poison, whether a connection is in the pool.
func setResting[C Conn](c *Connection[C], resting bool) {
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
