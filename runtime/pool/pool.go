package pool

import (
	"context"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
)

// Pool is a pool of connections to one server. Its methods may be called from any goroutine.
type Pool[C Conn] struct {
	cfg Config[C]
	lim limits

	transition chan struct{} // held by Ready, Clear and Close until their events are delivered

	mu         sync.Mutex
	state      cmap.PoolState
	announcing bool // PoolReady is not delivered yet: check-outs wait, no connection is created
	generation uint64
	cause      error            // what cleared the pool
	available  []*Connection[C] // established and not in use; the most recently used one is last
	waiting    waitQueue[C]     // empty unless no connection is available and none can be created
	all        connectionList[C]
	total      int  // connections that are not closed, and granted places
	pending    int  // how many of the total are not yet established
	populating bool // a goroutine is establishing connections up to minPoolSize
	lastID     int64
	runs       uint64    // ticks of the background goroutine: a clock that is free for check-ins
	pinned     [pins]int // connections in use by reason
	services   map[bson.ObjectID]*service

	spare      sync.Pool     // waiters that are not in use
	wake       chan struct{} // asks for a background run
	background sync.WaitGroup
	ctx        context.Context // ends when the pool is closed; for background work
	cancel     context.CancelFunc
}

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
	p.poolCreated()
	if cfg.MaintainInterval >= 0 {
		p.background.Go(p.maintain)
	}
	return p
}

// Address is the address of the pool's server.
func (p *Pool[C]) Address() string { return p.cfg.Address }

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
	p.poolReady()

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
		interrupted = p.interruptions()
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
	p.poolClosed()
}

// beginTransition waits until no other transition is in progress. It reports false when the pool is being closed.
// Waiting then could deadlock: Close waits for background work, which may be about to clear the pool.
func (p *Pool[C]) beginTransition() bool {
	if p.ctx.Err() != nil {
		return false
	}
	select {
	case p.transition <- struct{}{}:
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *Pool[C]) endTransition() { <-p.transition }

func (p *Pool[C]) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state == cmap.PoolClosed
}

// advance moves the pool to its next state. Every input is allowed in every state. The mutex is held.
func (p *Pool[C]) advance(input cmap.PoolInput) { p.state, _ = cmap.NextPool(p.state, input) }

// grantPlaces takes the waiters that may now create a connection off the queue, and counts their connections. The
// caller releases the mutex and then delivers an empty grant to each of them.
func (p *Pool[C]) grantPlaces() *waiter[C] {
	var first, last *waiter[C]
	for p.waiting.first != nil && p.canCreate() {
		p.total++
		p.pending++
		w := p.waiting.take()
		if last == nil {
			first = w
		} else {
			last.next = w
		}
		last = w
	}
	return first
}

// canCreate reports whether a connection may be created. The mutex is held.
func (p *Pool[C]) canCreate() bool {
	return p.state == cmap.PoolReady && !p.announcing && p.pending < p.lim.maxConnecting &&
		(p.lim.maxPoolSize == 0 || p.total < p.lim.maxPoolSize)
}
