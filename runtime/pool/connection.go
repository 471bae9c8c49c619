package pool

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// ID is the number of the connection in its pool. Numbers start at 1.
func (c *Connection[C]) ID() int64 { return c.id }

// Generation is the generation of the pool, or of the connection's service, at the time when the connection was
// established.
func (c *Connection[C]) Generation() uint64 { return c.generation }

// ServiceID is the service that the connection leads to through a load balancer. It is nil without a load balancer.
func (c *Connection[C]) ServiceID() *bson.ObjectID {
	if c.service == nil {
		return nil
	}
	return &c.service.id
}

// WasInterrupted reports whether the pool interrupted the connection because the pool was cleared or closed.
func (c *Connection[C]) WasInterrupted() bool { return c.interrupted.Load() }

// Fault is the error to report for an operation on the connection that failed with err. If the operation failed because
// the pool interrupted the connection, it is a fault.PoolClearedError or fault.PoolClosedError. Otherwise it is err.
func (c *Connection[C]) Fault(err error) error {
	if err == nil || !c.interrupted.Load() {
		return err
	}
	if c.pool.isClosed() {
		return fault.PoolClosedError{Address: c.pool.cfg.Address}
	}
	return fault.PoolClearedError{Address: c.pool.cfg.Address, Interrupted: true, Err: err}
}

// SetPin records what keeps the connection checked out. CheckIn resets it to NotPinned.
func (c *Connection[C]) SetPin(pin Pin) {
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	c.setPin(pin)
}

func (c *Connection[C]) setPin(pin Pin) {
	c.pool.pinned[c.pin]--
	c.pool.pinned[pin]++
	c.pin = pin
}

func (l *connectionList[C]) add(c *Connection[C]) {
	c.next = l.first
	if l.first != nil {
		l.first.prev = c
	}
	l.first = c
}

func (l *connectionList[C]) remove(c *Connection[C]) {
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		l.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// newConnection makes a connection whose place has already been counted. The mutex is held.
func (p *Pool[C]) newConnection() *Connection[C] {
	p.lastID++
	c := &Connection[C]{pool: p, id: p.lastID, generation: p.generation, idleRun: p.runs, pending: true}
	p.all.add(c)
	return c
}

// establishDuration is how long it took to establish the connection. It is 0 without a listener.
func (c *Connection[C]) establishDuration() time.Duration {
	if c.created.IsZero() {
		return 0
	}
	return time.Since(c.created)
}
