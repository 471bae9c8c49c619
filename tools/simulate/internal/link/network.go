package link

import (
	"context"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Dial opens a connection to a node of the deployment.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Network is everything between the clients and the nodes. Its methods are safe for concurrent use.
type Network struct {
	seed uint64
	dial Dial

	mu      sync.Mutex
	paths   map[route]*path
	open    map[int]int // connections that each client has not closed
	latency Latency
}

// Latency is how long bytes travel in one direction.
type Latency struct{ Base, Jitter time.Duration }

// route names the way between a client and a node: the first part of an address, since a node has one address in the
// configuration of its set and another one in DNS.
type route struct {
	client int
	node   string
}

// New makes a network over a dialer.
func New(seed uint64, latency Latency, dial Dial) *Network {
	return &Network{seed: seed, dial: dial, latency: latency, paths: map[route]*path{}, open: map[int]int{}}
}

// Open returns how many connections a client has opened and not closed.
func (n *Network) Open(client int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open[client]
}

func (n *Network) count(client, change int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open[client] += change
}

// Dialer returns the dialer of one client.
func (n *Network) Dialer(client int) *Dialer { return &Dialer{network: n, client: client} }

// Dialer fits the Dialer field of a client's options.
type Dialer struct {
	network *Network
	client  int
}

// DialContext connects over the path to the address, which may take its time or refuse.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	p := d.network.path(d.client, address)
	random := p.newRandom()
	if err := p.connect(ctx, random); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	inner, err := d.network.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return p.open(inner, random), nil
}

// path is the way between one client and one address, with the faults on it.
type path struct {
	network *Network
	route   route

	mu      sync.Mutex
	dials   uint64
	refused int              // how many faults refuse connections
	blocked [2]int           // how many faults hold the bytes of a direction
	healed  [2]chan struct{} // closed when nothing holds them any more
	slower  time.Duration
	breaks  []breach
	conns   map[*conn]bool
	latest  [2]arrival
	effects map[string]int // what faults have done, by their names
}

// breach is what happens to the next reply on a path. Some bytes pass. Then the connection is reset, or the rest waits.
type breach struct {
	after int
	stall time.Duration // 0 for a reset
}

// arrival is when the latest bytes of a direction arrive, and on which connection.
type arrival struct {
	at time.Time
	on *conn
}

func (n *Network) path(client int, address string) *path {
	n.mu.Lock()
	defer n.mu.Unlock()
	node, _, _ := strings.Cut(address, ".")
	r := route{client, node}
	p := n.paths[r]
	if p == nil {
		p = &path{network: n, route: r, conns: map[*conn]bool{}, effects: map[string]int{}}
		n.paths[r] = p
	}
	return p
}

// newRandom returns the source of randomness of one connection. It depends on the seed, the path and the number of the connection.
func (p *path) newRandom() *rand.Rand {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dials++
	var name uint64
	for _, b := range []byte(p.route.node) {
		name = name*31 + uint64(b)
	}
	return rand.New(rand.NewPCG(p.network.seed^name<<8, uint64(p.route.client)<<32|p.dials))
}

// connect waits as long as the handshake of TCP takes: one round trip.
func (p *path) connect(ctx context.Context, random *rand.Rand) error {
	for d := range down + 1 {
		timer := time.NewTimer(p.travelTime(nil, d, random))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if p.refuses() {
			return syscall.ECONNREFUSED
		}
		if wait := p.heldUntil(d); wait != nil {
			p.noteHeld(d)
			select {
			case <-wait:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

func (p *path) refuses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused > 0 {
		p.effects["refuse"]++
	}
	return p.refused > 0
}

// travelTime returns how long the next bytes of a connection take. A nil c is a connection that is not open yet.
func (p *path) travelTime(c *conn, d Direction, random *rand.Rand) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.network.latency
	takes := l.Base + p.slower + time.Duration(random.Int64N(int64(l.Jitter)+1))
	if p.slower > 0 {
		p.effects["slowPath"]++
	}
	if at := time.Now().Add(takes); at.After(p.latest[d].at) {
		p.latest[d] = arrival{at, c}
	} else if c != p.latest[d].on {
		p.effects["reordered"]++
	}
	return takes
}

// heldUntil returns a channel that is closed once bytes may travel, or nil if they may travel now.
func (p *path) heldUntil(d Direction) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocked[d] == 0 {
		return nil
	}
	return p.healed[d]
}

// takeBreach removes and returns the breach for the next reply, if there is one.
func (p *path) takeBreach() (b breach, some bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.breaks) == 0 {
		return b, false
	}
	b, p.breaks = p.breaks[0], p.breaks[1:]
	if b.stall > 0 {
		p.effects["stall"]++
	} else {
		p.effects["midFrame"]++
	}
	return b, true
}

// note counts an effect of a fault.
func (p *path) note(effect string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.effects[effect]++
}

// noteHeld counts bytes that have to wait.
func (p *path) noteHeld(d Direction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	effect := [2]string{up: "blockUp", down: "blockDown"}[d]
	if p.blocked[up] > 0 && p.blocked[down] > 0 {
		effect = "blockBoth"
	}
	p.effects[effect]++
}

// Effects returns how often each kind of network fault had an effect, and how often bytes overtook bytes of another
// connection ("reordered").
func (n *Network) Effects() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := map[string]int{}
	for _, p := range n.paths {
		p.mu.Lock()
		for effect, times := range p.effects {
			all[effect] += times
		}
		p.mu.Unlock()
	}
	return all
}
