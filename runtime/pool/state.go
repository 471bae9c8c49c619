package pool

import "github.com/specdrivers/onion/generated/core/cmap"

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

// scheduleRun asks for a background run as soon as possible.
func (p *Pool[C]) scheduleRun() {
	select {
	case p.wake <- struct{}{}:
	default: // a run is already requested
	}
}
