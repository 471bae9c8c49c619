package mongotest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// node is one server process: a mongod or a mongos.
type node struct {
	d       *Deployment
	index   int
	address string
	service bson.ObjectID // behind a load balancer

	engine     *engine.Engine // with the node's cursors
	failPoints failPoints
	latency    atomic.Int64 // nanoseconds that every reply waits
	behind     atomic.Int64 // writes that the node lacks as a secondary
	swept      atomic.Int64 // the second in which idle cursors were looked for

	mu       sync.Mutex
	down     bool
	listener net.Listener // nil while the node is down, and behind a load balancer
	conns    map[*clientConn]struct{}
	process  bson.ObjectID // a new one for each start
	version  int64         // the counter of the topologyVersion
	changed  chan struct{} // closed when version grows
	cutUntil time.Time     // a partition lasts until then
	healing  *time.Timer   // ends it
	healed   chan struct{} // closed when the partition ends; nil without one

	running sync.WaitGroup
}

func newNode(d *Deployment, index int) *node {
	n := &node{
		d: d, index: index, service: bson.NewObjectID(), process: bson.NewObjectID(),
		conns: map[*clientConn]struct{}{}, changed: make(chan struct{}),
	}
	n.engine = d.data.engine.Member(n.view, n.committed)
	return n
}

// listen opens the node's port. A restarted node takes the port that it had.
func (n *node) listen(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("mongotest: node %d: %w", n.index, err)
	}
	if n.address == "" { // a restarted node keeps its address, which other nodes read at any time
		n.address = listener.Addr().String()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listener = listener
	return nil
}

// serve accepts connections until the listener is closed.
func (n *node) serve() {
	n.mu.Lock()
	listener := n.listener
	n.mu.Unlock()
	if listener == nil {
		return
	}
	n.running.Add(1)
	go func() {
		defer n.running.Done()
		for {
			nc, err := listener.Accept()
			if err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				continue // a client that gave up while it waited
			}
			n.admit(nc)
		}
	}()
}

// admit starts to serve a connection.
func (n *node) admit(nc net.Conn) {
	if n.d.config.tls != nil {
		nc = tls.Server(nc, n.d.config.tls)
	}
	c := newClientConn(n, nc)
	n.mu.Lock()
	if n.down {
		n.mu.Unlock()
		nc.Close()
		return
	}
	n.conns[c] = struct{}{}
	n.running.Add(1)
	n.mu.Unlock()
	go func() {
		defer n.running.Done()
		defer n.forget(c)
		c.serve()
	}()
}

func (n *node) forget(c *clientConn) {
	c.close()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, c)
}

// stop closes the listener and every connection and waits for what they were doing.
func (n *node) stop() {
	n.mu.Lock()
	n.down = true
	if n.listener != nil {
		n.listener.Close()
		n.listener = nil
	}
	for c := range n.conns {
		c.close()
	}
	n.mu.Unlock()
	n.heal()
	n.running.Wait()
	n.engine.Cursors().KillAll()
}

// up reports whether the node runs and can be reached by the others.
func (n *node) up() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.down && n.healed == nil
}

func (n *node) stopped() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

// closeConnections drops the connections that drop wants dropped.
func (n *node) closeConnections(drop func(*clientConn) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		if drop(c) {
			c.close()
		}
	}
}

// topologyVersion is what hello replies and state change errors carry, and a channel that is closed once it is old.
func (n *node) topologyVersion() (bson.ObjectID, int64, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.process, n.version, n.changed
}

// serviceID is the router's name behind a load balancer.
func (n *node) serviceID() bson.ObjectID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.service
}

// bump tells the hellos that wait that the node's state is another one.
func (n *node) bump() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.version++
	close(n.changed)
	n.changed = make(chan struct{})
}

// cut makes the node neither read nor answer for the length of d.
func (n *node) cut(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cutUntil = time.Now().Add(d)
	if n.healed == nil {
		n.healed = make(chan struct{})
	} else {
		n.healing.Stop()
	}
	n.healing = time.AfterFunc(d, n.healInTime)
}

// healInTime ends a partition whose time is over. A longer one may have begun since the timer was set.
func (n *node) healInTime() {
	n.mu.Lock()
	over := !time.Now().Before(n.cutUntil)
	n.mu.Unlock()
	if over {
		n.heal()
	}
}

// heal ends a partition.
func (n *node) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.healed != nil {
		n.healing.Stop()
		close(n.healed)
		n.healed = nil
	}
}

// partition is a channel that is closed when the node can be reached again, or nil when it can be now.
func (n *node) partition() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.healed
}

// renew makes a node that is down run again, as another process of the same server.
func (n *node) renew() {
	n.failPoints.reset()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down, n.process, n.version, n.service = false, bson.NewObjectID(), 0, bson.NewObjectID()
}
