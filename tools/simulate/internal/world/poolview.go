package world

import (
	"cmp"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// poolView is what an observer knows of one pool.
type poolView struct {
	generation int
	conns      map[int64]*connView
	waiting    int // check-outs that have started and not ended
	closed     bool
}

type connView struct {
	generation int
	ready, out bool
}

// on has f look at a pool for an event.
func (o *observer) on(address, message string, f func(*poolView)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count(message)
	p := o.pools[address]
	if p == nil {
		p = &poolView{conns: map[int64]*connView{}}
		o.pools[address] = p
	}
	f(p)
}

func (o *observer) poolMonitor() *event.PoolMonitor {
	return &event.PoolMonitor{
		PoolCreated: func(e *event.PoolCreated) {
			o.on(e.Address, "Connection pool created", func(p *poolView) { p.closed = false })
		},
		PoolReady: func(e *event.PoolReady) { o.on(e.Address, "Connection pool ready", func(*poolView) {}) },
		PoolCleared: func(e *event.PoolCleared) {
			o.on(e.Address, "Connection pool cleared", func(p *poolView) {
				o.c.world.effect("a cleared pool")
				if e.ServiceID == nil {
					p.generation++
				}
			})
		},
		PoolClosed: func(e *event.PoolClosed) {
			o.on(e.Address, "Connection pool closed", func(p *poolView) { p.closed = true })
		},
		ConnectionCreated: o.created,
		ConnectionReady: func(e *event.ConnectionReady) {
			o.on(e.Address, "Connection ready", func(p *poolView) {
				if c := p.conns[e.ConnectionID]; c == nil || c.ready {
					o.violate("pool", "connection %d to %s became ready and was not created, or twice", e.ConnectionID, e.Address)
				} else {
					c.ready = true
				}
			})
		},
		ConnectionClosed: func(e *event.ConnectionClosed) {
			o.on(e.Address, "Connection closed", func(p *poolView) {
				if c := p.conns[e.ConnectionID]; c == nil || c.out {
					o.violate("pool", "connection %d to %s was closed and was not there, or in use", e.ConnectionID, e.Address)
				}
				delete(p.conns, e.ConnectionID)
			})
		},
		ConnectionCheckOutStarted: func(e *event.ConnectionCheckOutStarted) {
			o.on(e.Address, "Connection checkout started", func(p *poolView) {
				if p.waiting++; p.waiting > cmp.Or(o.c.plan.MaxPool, 100) {
					o.c.world.effect(scenario.Crowd)
				}
			})
		},
		ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
			o.on(e.Address, "Connection checkout failed", func(p *poolView) {
				if o.refused = time.Now(); e.Reason == event.CheckOutFailedTimeout {
					o.c.world.effect("a full pool")
				}
				o.checkOutEnded(e.Address, p)
			})
		},
		ConnectionCheckedOut: o.checkedOut,
		ConnectionCheckedIn: func(e *event.ConnectionCheckedIn) {
			o.on(e.Address, "Connection checked in", func(p *poolView) {
				c := p.conns[e.ConnectionID]
				if c == nil || !c.out {
					o.violate("pool", "connection %d to %s was checked in and was not in use", e.ConnectionID, e.Address)
					return
				}
				c.out = false
			})
		},
	}
}

// created checks how many connections there are, and how many are being established.
func (o *observer) created(e *event.ConnectionCreated) {
	o.on(e.Address, "Connection created", func(p *poolView) {
		p.conns[e.ConnectionID] = &connView{generation: p.generation}
		pending := 0
		for _, c := range p.conns {
			if !c.ready {
				pending++
			}
		}
		if limit := cmp.Or(o.c.plan.MaxPool, 100); len(p.conns) > limit && !o.c.plan.Encrypted {
			o.violate("pool", "%d connections to %s, maxPoolSize is %d", len(p.conns), e.Address, limit)
		}
		if limit := cmp.Or(o.c.plan.MaxConnecting, 2); pending > limit {
			o.violate("pool", "%d connections to %s are being established, maxConnecting is %d", pending, e.Address, limit)
		}
	})
}

func (o *observer) checkedOut(e *event.ConnectionCheckedOut) {
	o.on(e.Address, "Connection checked out", func(p *poolView) {
		o.checkOutEnded(e.Address, p)
		switch c := p.conns[e.ConnectionID]; {
		case c == nil || !c.ready || c.out:
			o.violate("pool", "connection %d to %s was checked out and was not ready, or in use", e.ConnectionID, e.Address)
		case c.generation != p.generation:
			o.violate("pool", "connection %d to %s was checked out and is of generation %d, the pool of %d", e.ConnectionID,
				e.Address, c.generation, p.generation)
		default:
			c.out = true
		}
	})
}

func (o *observer) checkOutEnded(address string, p *poolView) {
	if p.waiting--; p.waiting < 0 {
		o.violate("pool", "a check-out from %s ended and was not started", address)
	}
}

// finishPools checks that the pools of a closed client are empty.
func (o *observer) finishPools() {
	for address, p := range o.pools {
		if p.waiting != 0 || !p.closed {
			o.violate("pool", "%s: %d check-outs have not ended, closed: %t", address, p.waiting, p.closed)
		}
		for id, c := range p.conns {
			o.violate("pool", "connection %d to %s was not closed; in use: %t", id, address, c.out)
		}
	}
}
