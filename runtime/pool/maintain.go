package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
)

// maintain is the background goroutine. Each run closes available connections that have perished and starts to
// establish connections up to minPoolSize. It never waits for a connection.
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

// removePerished closes the available connections that must no longer be used.
func (p *Pool[C]) removePerished() {
	var perished []*Connection[C]
	p.mu.Lock()
	if p.state != cmap.PoolClosed { // Close closes the available connections itself
		kept := p.available[:0]
		for _, c := range p.available {
			if p.reasonToClose(c) != "" {
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

// populate establishes connections while there are fewer than minPoolSize. It does one at a time, which leaves the
// other places of maxConnecting to check-outs.
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

// nextToPopulate makes the next connection for minPoolSize. It returns nil when there are enough. The mutex is held.
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

// InBackground reports whether ctx belongs to a call of Config.Connect or Config.Authenticate for a connection that no
// check-out waits for.
func InBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// populateFrom establishes c and the connections after it. After a failure it stops until the next tick: a flood of
// retries does not help a server that refuses connections.
func (p *Pool[C]) populateFrom(c *Connection[C]) {
	for c != nil {
		err := p.establish(context.WithValue(p.ctx, backgroundKey{}, true), c) // OnEstablishError receives the error
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
