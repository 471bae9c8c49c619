package pool

import (
	"context"
	"sync"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
)

// New creates a paused pool and starts its background goroutine. Close ends it.
func New[C Conn](cfg Config[C]) *Pool[C] {
	p := &Pool[C]{
		cfg:        cfg,
		lim:        limitsOf(&cfg.Options),
		transition: make(chan struct{}, 1),
		wake:       make(chan struct{}, 1),
		spare:      sync.Pool{New: newWaiter[C]},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.publishPoolCreated()
	if cfg.MaintainInterval >= 0 {
		p.background.Go(p.maintain)
	}
	return p
}

// Ready lets a paused pool hand out and create connections. It does nothing if the pool is ready or closed.
func (p *Pool[C]) Ready() {
	if !p.beginTransition() {
		return
	}
	defer p.endTransition()

	p.mu.Lock()
	if p.state != cmap.PoolPaused {
		p.mu.Unlock()
		return
	}
	p.advance(cmap.PoolMarkReady)
	p.announcing, p.cause = true, nil
	p.mu.Unlock()

	// CMAP, "Marking a Connection Pool as Ready": this event must come before any event about a new connection.
	p.publishPoolReady()

	p.mu.Lock()
	p.announcing = false
	granted := p.grantPlaces()
	p.mu.Unlock()
	deliver(granted, grant[C]{})
	p.removePerished() // check-outs may have begun to wait for their places
	p.scheduleRun()
}

// Close closes the pool. Waiting check-outs fail. Available connections are closed, and connections in use are closed
// when they are checked in. Connections that are being established are given up. Close waits for the background work,
// so Config.OnEstablishError and listeners must not call it. A second call does nothing and does not wait.
func (p *Pool[C]) Close() { p.close(false) }

// CloseInterrupting is Close, but it also closes the connections in use at once. Operations on them fail.
func (p *Pool[C]) CloseInterrupting() { p.close(true) }

func (p *Pool[C]) close(interruptInUse bool) {
	if !p.beginTransition() {
		return
	}
	defer p.endTransition()

	p.mu.Lock()
	if p.state == cmap.PoolClosed {
		p.mu.Unlock()
		return
	}
	p.advance(cmap.PoolClose)
	refused := p.waiting.takeAll()
	available := p.available
	p.available = nil
	var interrupted []func()
	if interruptInUse {
		interrupted = p.markInterrupted()
	}
	for c := p.all.first; c != nil; c = c.next {
		if c.pending && c.cancel != nil {
			c.cancel(context.Canceled)
		}
	}
	p.mu.Unlock()

	p.cancel()
	for _, interrupt := range interrupted {
		interrupt()
	}
	deliver(refused, grant[C]{err: fault.PoolClosedError{Address: p.cfg.Address}})
	for _, c := range available {
		p.destroy(c, event.ClosedPoolClosed, nil)
	}
	p.background.Wait()
	p.publishPoolClosed()
}
