package pool

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/runtime/fault"
)

// Clear makes every connection stale and pauses the pool. It fails the waiting check-outs with a fault.PoolClearedError
// that names cause. Connections in use are closed when they are checked in.
//
// CMAP, "Clearing a non-load balanced pool".
func (p *Pool[C]) Clear(cause error) { p.clear(cause, false) }

// ClearInterrupting is Clear, but it also closes the connections that are in use or being established at once.
func (p *Pool[C]) ClearInterrupting(cause error) { p.clear(cause, true) }

func (p *Pool[C]) clear(cause error, interruptInUse bool) {
	if !p.beginTransition() {
		return
	}
	defer p.endTransition()

	p.mu.Lock()
	if p.state == cmap.PoolClosed {
		p.mu.Unlock()
		return
	}
	wasReady := p.state == cmap.PoolReady
	p.advance(cmap.PoolClear)
	p.generation++
	if p.cause == nil { // keep the first cause until Ready forgets it
		p.cause = cause
	}
	evicted := p.waiting.takeAll()
	var interrupted []func()
	if interruptInUse {
		interrupted = p.markInterrupted()
	}
	p.mu.Unlock()

	if wasReady {
		p.publishPoolCleared(nil, interruptInUse, cause)
	}
	for w := evicted; w != nil; {
		next := w.next
		w.next = nil
		// Each waiter gets an error value of its own, because labels are added to it later.
		deliver(w, grant[C]{err: fault.PoolClearedError{Address: p.cfg.Address, Err: cause}})
		w = next
	}
	for _, interrupt := range interrupted {
		interrupt()
	}
	p.scheduleRun()
}

// markInterrupted marks the connections that are in use or pending as interrupted. It returns the functions that close
// them. All these connections belong to a generation before the one that the clear started. The mutex is held.
func (p *Pool[C]) markInterrupted() []func() {
	var out []func()
	for c := p.all.first; c != nil; c = c.next {
		if !c.pending && !c.inUse.Load() && !c.finishing {
			continue
		}
		c.interrupted.Store(true)
		conn, opened, cancel := c.Conn, c.opened, c.cancel
		out = append(out, func() {
			if cancel != nil {
				cancel(context.Canceled)
			}
			if opened {
				conn.Close() // an error only means that the socket was already closed
			}
		})
	}
	return out
}

// ClearService makes every connection to one service behind the load balancer stale. The pool stays ready, and
// check-outs keep waiting.
//
// CMAP, "Clearing a load balanced pool".
func (p *Pool[C]) ClearService(id bson.ObjectID, cause error) {
	if !p.beginTransition() {
		return
	}
	defer p.endTransition()

	p.mu.Lock()
	if p.state == cmap.PoolClosed {
		p.mu.Unlock()
		return
	}
	if s := p.services[id]; s != nil {
		s.generation++
		s.cause = cause
	}
	p.mu.Unlock()
	p.publishPoolCleared(&id, false, cause)
	p.scheduleRun()
}
