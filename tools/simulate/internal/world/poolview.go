package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// poolView is what an observer knows of one pool.
type poolView struct {
	generation int
	cleared    time.Time // when the generation began
	before     int       // the generation before that moment
	conns      map[int64]*connView
	waiting    int // check-outs that have started and not ended
	ready      bool
	paused     time.Time // since when, if it is not ready
	closed     bool
}

type connView struct {
	generation int
	ready, out bool
	since      time.Time // when it became idle
}

func (p *poolView) clear() {
	if now := time.Now(); now.After(p.cleared) {
		p.cleared, p.before = now, p.generation
	}
	p.generation++
	if p.ready {
		p.ready, p.paused = false, time.Now()
	}
}

// isStale reports whether a connection must not be checked out. The event of a check-out just before a clear may arrive just
// after it, because the pool delivers events without its lock.
func (p *poolView) isStale(c *connView) bool {
	return c.generation < p.generation && (c.generation < p.before || time.Now().After(p.cleared))
}

// holdsOlder reports whether the pool has connections of an earlier generation, which it might hand out by mistake.
func (p *poolView) holdsOlder() bool {
	for _, c := range p.conns {
		if c.generation < p.generation {
			return true
		}
	}
	return false
}

// poolViews are the pools of one address, the newest last. A server that leaves the topology and comes back gets another pool,
// while operations may still use connections of the one before. Both number their connections from 1, and an event holds only
// that number.
type poolViews []*poolView

func (v poolViews) newest() *poolView { return v[len(v)-1] }

// find returns the newest pool with a connection of this id that wanted accepts, or nil if there is none.
func (v poolViews) find(id int64, wanted func(*connView) bool) *poolView {
	for _, p := range slices.Backward(v) {
		if c := p.conns[id]; c != nil && wanted(c) {
			return p
		}
	}
	return nil
}

// findClosing returns the pool of a connection that closes. It prefers an older pool, which closes every connection that comes back.
func (v poolViews) findClosing(id int64, reason event.ClosedReason) *poolView {
	for _, p := range v[:len(v)-1] {
		c, other := p.conns[id], v.newest().conns[id]
		switch {
		case c == nil:
		case !c.out:
			return p
		case reason == event.ClosedPoolClosed && !v.newest().closed && other != nil && !other.out:
			c.out, other.out = false, true // the one that was checked in was this one, not the other
			return p
		}
	}
	return v.find(id, func(c *connView) bool { return !c.out })
}

// withPool calls f with the newest pool of an address, for an event.
func (o *observer) withPool(address, message string, f func(*poolView)) {
	o.withPools(address, message, func(all poolViews) { f(all.newest()) })
}

// withPools calls f with all pools of an address, for an event.
func (o *observer) withPools(address, message string, f func(poolViews)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count(message); len(o.pools[address]) == 0 {
		o.violate("pool", "%q of %s, which has no pool", message, address)
		return
	}
	f(o.pools[address])
}

func (o *observer) poolCreated(e *event.PoolCreated) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count("Connection pool created")
	o.pools[e.Address] = append(o.pools[e.Address], &poolView{conns: map[int64]*connView{}, paused: time.Now()})
}

// poolClosed closes the oldest open pool: the next one may exist already.
func (o *observer) poolClosed(e *event.PoolClosed) {
	o.withPools(e.Address, "Connection pool closed", func(all poolViews) {
		i := slices.IndexFunc(all, func(p *poolView) bool { return !p.closed })
		if i < 0 {
			o.violate("pool", "the pool of %s was closed twice", e.Address)
			return
		}
		all[i].closed = true
	})
}

func (o *observer) poolReady(e *event.PoolReady) {
	o.withPool(e.Address, "Connection pool ready", func(p *poolView) {
		if p.ready {
			o.violate("pool", "the pool of %s became ready and was so before", e.Address)
		}
		p.ready = true
	})
}

func (o *observer) poolMonitor() *event.PoolMonitor {
	return &event.PoolMonitor{
		PoolCreated: o.poolCreated,
		PoolReady:   o.poolReady,
		PoolCleared: func(e *event.PoolCleared) {
			o.withPool(e.Address, "Connection pool cleared", func(p *poolView) {
				o.c.world.countEffect("a cleared pool")
				if e.ServiceID == nil {
					p.clear()
				}
			})
		},
		PoolClosed:        o.poolClosed,
		ConnectionCreated: o.checkCreated,
		ConnectionReady: func(e *event.ConnectionReady) {
			o.withPools(e.Address, "Connection ready", func(all poolViews) {
				if p := all.find(e.ConnectionID, func(c *connView) bool { return !c.ready }); p == nil {
					o.violate("pool", "connection %d to %s became ready and was not created, or twice", e.ConnectionID, e.Address)
				} else {
					p.conns[e.ConnectionID].ready, p.conns[e.ConnectionID].since = true, time.Now()
				}
			})
		},
		ConnectionClosed: func(e *event.ConnectionClosed) {
			o.withPools(e.Address, "Connection closed", func(all poolViews) {
				if p := all.findClosing(e.ConnectionID, e.Reason); p == nil {
					o.violate("pool", "connection %d to %s was closed and was not there, or in use", e.ConnectionID, e.Address)
				} else {
					delete(p.conns, e.ConnectionID)
				}
			})
		},
		ConnectionCheckOutStarted: func(e *event.ConnectionCheckOutStarted) {
			o.withPool(e.Address, "Connection checkout started", func(p *poolView) {
				if p.waiting++; p.waiting > cmp.Or(o.c.plan.MaxPool, 100) {
					o.c.world.countEffect(scenario.Crowd)
				}
			})
		},
		ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
			o.withPools(e.Address, "Connection checkout failed", func(all poolViews) {
				if o.refused = time.Now(); e.Reason == event.CheckOutFailedTimeout {
					o.c.world.countEffect("a full pool")
				}
				o.endCheckOut(e.Address, all)
			})
		},
		ConnectionCheckedOut: o.checkCheckOut,
		ConnectionCheckedIn: func(e *event.ConnectionCheckedIn) {
			o.withPools(e.Address, "Connection checked in", func(all poolViews) {
				if p := all.find(e.ConnectionID, func(c *connView) bool { return c.out }); p == nil {
					o.violate("pool", "connection %d to %s was checked in and was not in use", e.ConnectionID, e.Address)
				} else {
					p.conns[e.ConnectionID].out, p.conns[e.ConnectionID].since = false, time.Now()
				}
			})
		},
	}
}

// checkCreated checks how many connections there are, and how many are being established.
func (o *observer) checkCreated(e *event.ConnectionCreated) {
	o.withPool(e.Address, "Connection created", func(p *poolView) {
		if p.ready {
			o.c.world.countEffect(judgedReady)
		} else if time.Now().After(p.paused) { // otherwise the pool created it before the clear, and the event arrives after it
			o.violate("pool", "connection %d to %s was created %v after the pool was paused", e.ConnectionID, e.Address,
				time.Since(p.paused))
		}
		p.conns[e.ConnectionID] = &connView{generation: p.generation}
		pending := 0
		for _, c := range p.conns {
			if !c.ready {
				pending++
			}
		}
		if limit := cmp.Or(o.c.plan.MaxPool, 100); len(p.conns) == limit && !o.c.plan.Encrypted {
			o.c.world.countEffect(judgedMaxPool)
		} else if len(p.conns) > limit && !o.c.plan.Encrypted {
			o.violate("pool", "%d connections to %s, maxPoolSize is %d", len(p.conns), e.Address, limit)
		}
		if limit := cmp.Or(o.c.plan.MaxConnecting, 2); pending == limit {
			o.c.world.countEffect(judgedConnecting)
		} else if pending > limit {
			o.violate("pool", "%d connections to %s are being established, maxConnecting is %d", pending, e.Address, limit)
		}
	})
}

func (o *observer) checkCheckOut(e *event.ConnectionCheckedOut) {
	o.withPools(e.Address, "Connection checked out", func(all poolViews) {
		o.endCheckOut(e.Address, all)
		p := all.find(e.ConnectionID, func(c *connView) bool { return c.ready && !c.out })
		if p == nil {
			o.violate("pool", "connection %d to %s was checked out and was not ready, or in use", e.ConnectionID, e.Address)
			return
		}
		c := p.conns[e.ConnectionID]
		if p.holdsOlder() {
			o.c.world.countEffect(judgedGeneration)
		}
		if p.isStale(c) {
			o.violate("pool", "connection %d to %s was checked out and is of generation %d, the pool of %d", e.ConnectionID,
				e.Address, c.generation, p.generation)
		}
		o.checkIdle(e, c)
		c.out = true
	})
}

// checkIdle checks that a connection that is checked out was not idle for longer than maxIdleTimeMS.
func (o *observer) checkIdle(e *event.ConnectionCheckedOut, c *connView) {
	idle := time.Since(c.since)
	if o.c.plan.Idle > 0 && idle > o.c.plan.Idle/2 {
		o.c.world.countEffect(judgedIdle)
	}
	if o.c.plan.Idle > 0 && idle > o.c.plan.Idle+time.Millisecond {
		o.violate("pool", "connection %d to %s was checked out after %v; maxIdleTimeMS is %v", e.ConnectionID, e.Address, idle,
			o.c.plan.Idle)
	}
}

// endCheckOut ends a check-out in the oldest pool that has one.
func (o *observer) endCheckOut(address string, all poolViews) {
	for _, p := range all {
		if p.waiting > 0 {
			p.waiting--
			return
		}
	}
	o.violate("pool", "a check-out from %s ended and was not started", address)
}

// finishPools checks that the pools of a closed client are empty.
func (o *observer) finishPools() {
	for address, all := range o.pools {
		for _, p := range all {
			if p.waiting != 0 || !p.closed {
				o.violate("pool", "%s: %d check-outs have not ended, closed: %t", address, p.waiting, p.closed)
			}
			for id, c := range p.conns {
				o.violate("pool", "connection %d to %s was not closed; in use: %t", id, address, c.out)
			}
		}
	}
}
