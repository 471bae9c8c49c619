package link

import (
	"maps"
	"slices"
	"time"
)

// Direction is one way along a path.
type Direction int

const (
	up   Direction = iota // from the client to the node
	down                  // from the node to the client
)

// Block holds back the bytes of a path: towards the node, towards the client, or both. The returned function releases them, so they
// arrive late.
func (n *Network) Block(client int, address string, toNode, toClient bool) (heal func()) {
	p := n.path(client, address)
	which := []Direction{}
	if toNode {
		which = append(which, up)
	}
	if toClient {
		which = append(which, down)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range which {
		if p.blocked[d]++; p.blocked[d] == 1 {
			p.healed[d] = make(chan struct{})
		}
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, d := range which {
			if p.blocked[d]--; p.blocked[d] == 0 {
				close(p.healed[d])
			}
		}
	}
}

// Refuse makes connections along a path fail until the returned function is called.
func (n *Network) Refuse(client int, address string) (end func()) {
	p := n.path(client, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refused--
	}
}

// Slow adds to the latency of a path until the returned function is called.
func (n *Network) Slow(client int, address string, by time.Duration) (end func()) {
	p := n.path(client, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slower += by
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.slower -= by
	}
}

// ResetReply cuts the next reply along a path after some bytes of it and resets its connection.
func (n *Network) ResetReply(client int, address string, after int) {
	p := n.path(client, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breaks = append(p.breaks, breach{after: after})
}

// StallReply stops the next reply on a path after some of its bytes. The rest, and everything after it, arrives later by
// the given time.
func (n *Network) StallReply(client int, address string, after int, by time.Duration) {
	p := n.path(client, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breaks = append(p.breaks, breach{after, by})
}

// Forget drops the resets and stalls that have not hit a reply yet.
func (n *Network) Forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.paths {
		p.mu.Lock()
		p.breaks = nil
		p.mu.Unlock()
	}
}

// HalfOpen makes the node forget the connections of a path. The client is not told, and whatever it sends is lost.
func (n *Network) HalfOpen(client int, address string) {
	for _, c := range n.path(client, address).connections() {
		c.vanish()
	}
}

// ResetVanished resets the connections that nodes have forgotten.
func (n *Network) ResetVanished() {
	n.mu.Lock()
	paths := slices.Collect(maps.Values(n.paths))
	n.mu.Unlock()
	for _, p := range paths {
		for _, c := range p.connections() {
			if c.hasVanished() {
				c.reset()
			}
		}
	}
}

// Reset ends the connections of a path at once.
func (n *Network) Reset(client int, address string) {
	p := n.path(client, address)
	for _, c := range p.connections() {
		p.note("reset")
		c.reset()
	}
}

func (p *path) connections() []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]*conn, 0, len(p.conns))
	for c := range p.conns {
		all = append(all, c)
	}
	return all
}
