package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
)

// maintain is the background goroutine. A run closes available connections that have perished and begins to establish
// connections up to minPoolSize; it never waits.
//
// CMAP, "Background Thread".
func (p *Pool[C]) maintain() {
	interval := p.cfg.MaintainInterval
	if interval == 0 {
		interval = defaultMaintainInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.wake:
		case <-ticker.C:
			p.mu.Lock()
			p.runs++
			p.mu.Unlock()
		}
		p.removePerished()
		p.populate()
	}
}

// scheduleRun asks for a background run as soon as possible.
func (p *Pool[C]) scheduleRun() {
	select {
	case p.wake <- struct{}{}:
	default: // one is already asked for
	}
}

// removePerished closes the available connections that must not be used any more.
func (p *Pool[C]) removePerished() {
	var perished []*Connection[C]
	p.mu.Lock()
	if p.state != cmap.PoolClosed { // Close closes the available connections itself
		kept := p.available[:0]
		for _, c := range p.available {
			if p.perished(c) != "" {
				perished = append(perished, c)
			} else {
				kept = append(kept, c)
			}
		}
		clear(p.available[len(kept):])
		p.available = kept
	}
	p.mu.Unlock()
	p.destroyPerished(perished)
}

// populate begins to establish connections, one after the other, while there are fewer than minPoolSize. One at a time
// leaves the other places of maxConnecting to check-outs.
//
// CMAP, "Populating the Pool with a Connection".
func (p *Pool[C]) populate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.populating {
		return
	}
	if c := p.nextToPopulate(); c != nil {
		p.populating = true
		p.background.Go(func() { p.populateFrom(c) })
	}
}

// nextToPopulate makes the next connection that nobody asked for; nil when there are enough. The mutex is held.
func (p *Pool[C]) nextToPopulate() *Connection[C] {
	if p.total >= p.lim.minPoolSize || !p.canCreate() {
		return nil
	}
	p.total++
	p.pending++
	return p.newConnection()
}

// backgroundKey marks the context of a connection that no check-out waits for.
type backgroundKey struct{}

// InBackground reports whether Config.Connect or Config.Authenticate has been called with ctx for a connection that no
// check-out waits for.
func InBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// populateFrom establishes c and its successors. After a failure the next one is tried at the next tick and not at
// once: a server that refuses is not helped by a storm.
func (p *Pool[C]) populateFrom(c *Connection[C]) {
	for c != nil {
		err := p.establish(context.WithValue(p.ctx, backgroundKey{}, true), c) // OnEstablishError is told of an error
		if err == nil {
			p.putAvailable(c)
		}
		p.mu.Lock()
		c = nil
		if err == nil {
			c = p.nextToPopulate()
		}
		p.populating = c != nil
		p.mu.Unlock()
	}
}
