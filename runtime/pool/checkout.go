package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/runtime/fault"
)

// CheckOut returns an established connection. The caller gives it back with CheckIn. Check-outs are served in order.
// CheckOut waits until a connection is available or it may create one. It establishes a new connection itself.
//
// It fails with a fault.PoolClosedError, with a fault.PoolClearedError when the pool is or becomes paused, with a
// fault.WaitQueueTimeoutError when ctx or the wait queue timeout ends the wait, or with the error of Config.Connect or
// Config.Authenticate.
func (p *Pool[C]) CheckOut(ctx context.Context) (*Connection[C], error) {
	return p.checkOut(ctx, p.lim.waitQueueTimeout, false)
}

// CheckOutWithin is CheckOut with its own wait queue timeout instead of the pool's. With 0, only ctx limits the wait.
func (p *Pool[C]) CheckOutWithin(ctx context.Context, waitQueueTimeout time.Duration) (*Connection[C], error) {
	return p.checkOut(ctx, waitQueueTimeout, true)
}

// withinKey marks the context of a connection that CheckOutWithin establishes.
type withinKey struct{}

// InCheckOutWithin reports whether ctx belongs to a call of Config.Connect or Config.Authenticate for CheckOutWithin.
func InCheckOutWithin(ctx context.Context) bool { return ctx.Value(withinKey{}) != nil }

func (p *Pool[C]) checkOut(ctx context.Context, waitQueueTimeout time.Duration, within bool) (*Connection[C], error) {
	started := p.publishCheckOutStarted()
	c, err := p.acquire(ctx, waitQueueTimeout)
	if err == nil && !c.opened {
		establishing := ctx
		if within {
			establishing = context.WithValue(ctx, withinKey{}, true)
		}
		err = p.establish(establishing, c)
		if err == nil {
			err = p.putInUse(c)
		}
	}
	if err != nil {
		p.publishCheckOutFailed(started, err)
		return nil, err
	}
	p.publishCheckedOut(started, c)
	return c, nil
}

// acquire returns an available connection or a new, pending one. A check-out whose connection turns out to be closed
// came before everyone who is waiting by then: it takes the place that the closed connection leaves, or waits in front.
//
// CMAP, "Checking Out a Connection": the pool must not service any newer request first.
func (p *Pool[C]) acquire(ctx context.Context, waitQueueTimeout time.Duration) (*Connection[C], error) {
	p.mu.Lock()
	for oldest := false; ; oldest = true {
		if p.state != cmap.PoolReady {
			err := p.refusalError()
			p.mu.Unlock()
			return nil, err
		}
		if !oldest && p.waiting.first != nil {
			return p.wait(ctx, waitQueueTimeout, oldest)
		}
		c, perished := p.takeAvailable()
		if c == nil && perished == nil {
			if !p.canCreate() {
				return p.wait(ctx, waitQueueTimeout, oldest)
			}
			p.total++
			p.pending++
			c = p.newConnection()
		}
		var granted *waiter[C]
		if oldest && c != nil {
			granted = p.grantPlaces() // the places of closed connections that this check-out does not need itself
		}
		wasIdle := c != nil && c.idleRun != p.runs
		p.mu.Unlock()
		deliver(granted, grant[C]{})
		if c == nil {
			p.replace(perished, false)
			continue
		}
		p.destroyPerished(perished)
		if !wasIdle || !p.isDead(c) {
			return c, nil
		}
		p.replace([]*Connection[C]{c}, true)
	}
}

// wait enters the queue, at the front if first is set, and waits for its turn. The caller holds the mutex, and wait
// releases it.
func (p *Pool[C]) wait(ctx context.Context, waitQueueTimeout time.Duration, first bool) (*Connection[C], error) {
	w := p.spare.Get().(*waiter[C])
	w.spare.ComesOut()
	if first {
		p.waiting.enterFirst(w)
	} else {
		p.waiting.enter(w)
	}
	p.mu.Unlock()
	return p.await(ctx, w, waitQueueTimeout)
}

// keepSpare keeps a waiter for the next check-out that waits.
func (p *Pool[C]) keepSpare(w *waiter[C]) {
	w.spare.GoesBack()
	p.spare.Put(w)
}

// takeAvailable takes the most recently used available connection that has not perished. It also returns the perished
// connections that it finds on the way. The mutex is held.
func (p *Pool[C]) takeAvailable() (c *Connection[C], perished []*Connection[C]) {
	for n := len(p.available); n > 0; n-- {
		c := p.available[n-1]
		p.available[n-1] = nil
		p.available = p.available[:n-1]
		if p.reasonToClose(c) == "" {
			c.inUse.Store(true)
			setResting(c, false)
			return c, perished
		}
		perished = append(perished, c)
	}
	return nil, perished
}

// isDead reports whether the server has closed a connection while it was idle. acquire checks the socket only if a
// background run has passed since the last use, so connections in steady use pay nothing.
func (p *Pool[C]) isDead(c *Connection[C]) bool {
	conn, ok := any(c.Conn).(ProbedConn)
	if !ok || conn.IsAlive() {
		return false
	}
	c.inUse.Store(false)
	return true
}

// replace closes connections that acquire has found perished or dead. It returns with the mutex held and grants no
// place: the check-out can have one before the queue does.
func (p *Pool[C]) replace(list []*Connection[C], dead bool) {
	for _, c := range list {
		reason, err := p.perishReason(c, dead)
		p.publishConnectionClosed(c, reason, err)
		c.Conn.Close() // an error only means that the socket was already closed
	}
	p.mu.Lock()
	for _, c := range list {
		p.remove(c)
	}
}

// refusalError returns the error for a check-out from a pool that is not ready. The mutex is held.
func (p *Pool[C]) refusalError() error {
	if p.state == cmap.PoolClosed {
		return fault.PoolClosedError{Address: p.cfg.Address}
	}
	return fault.PoolClearedError{Address: p.cfg.Address, Err: p.cause}
}

// await waits until the waiter gets its grant.
func (p *Pool[C]) await(ctx context.Context, w *waiter[C], waitQueueTimeout time.Duration) (*Connection[C], error) {
	g, err := p.awaitGrant(ctx, w, waitQueueTimeout)
	if err != nil {
		return nil, err
	}
	p.keepSpare(w)
	if g.conn != nil || g.err != nil {
		return g.conn, g.err
	}
	return p.usePlace()
}

func (p *Pool[C]) awaitGrant(ctx context.Context, w *waiter[C], waitQueueTimeout time.Duration) (grant[C], error) {
	if ctx.Done() == nil && waitQueueTimeout == 0 {
		return <-w.granted, nil
	}
	var elapsed <-chan time.Time
	if waitQueueTimeout > 0 {
		timer := time.NewTimer(waitQueueTimeout)
		defer timer.Stop()
		elapsed = timer.C
	}
	select {
	case g := <-w.granted:
		return g, nil
	case <-ctx.Done():
		return p.giveUp(w, ctx.Err())
	case <-elapsed:
		return p.giveUp(w, nil)
	}
}

// giveUp removes a waiter from the queue when its time has run out. If the waiter got a grant at that very moment,
// giveUp uses it, so no grant is ever lost.
func (p *Pool[C]) giveUp(w *waiter[C], cause error) (grant[C], error) {
	p.mu.Lock()
	left := p.waiting.leave(w)
	timeout := fault.WaitQueueTimeoutError{
		Address:         p.cfg.Address,
		LoadBalanced:    p.cfg.LoadBalanced,
		MaxPoolSize:     p.lim.maxPoolSize,
		InUse:           p.statsLocked().InUse(),
		ForCursors:      p.pinned[PinnedByCursor],
		ForTransactions: p.pinned[PinnedByTransaction],
		Pending:         p.pending,
		Waiting:         p.waiting.length,
		Err:             cause,
	}
	p.mu.Unlock()
	if !left {
		return <-w.granted, nil
	}
	p.keepSpare(w)
	return grant[C]{}, timeout
}

// usePlace creates a connection in the place that a waiter got, unless the pool was cleared or closed since then.
func (p *Pool[C]) usePlace() (*Connection[C], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == cmap.PoolReady {
		return p.newConnection(), nil
	}
	p.total--
	p.pending--
	return nil, p.refusalError()
}
