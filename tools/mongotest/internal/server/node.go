package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/compress"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/failpoint"
	"github.com/specdrivers/onion/tools/mongotest/internal/process"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Node is one server process with its connections.
type Node struct {
	*process.Process
	cluster    *Cluster
	engine     *engine.Engine // with the node's cursors
	failPoints failpoint.Points
	counters   counters
	profiler   profiler
	usage      usage
	coders     compress.Coders
	swept      atomic.Int64 // the second in which idle cursors were last looked for

	mu       sync.Mutex
	listener net.Listener // nil while the node is down, and behind a load balancer
	conns    map[*conn]struct{}

	running sync.WaitGroup
}

func newNode(k *Cluster, p *process.Process) *Node {
	n := &Node{Process: p, cluster: k, conns: map[*conn]struct{}{}}
	n.engine = k.engine.Member(n.latest, n.committed)
	return n
}

// latest is the newest state that the node has.
func (n *Node) latest() *store.Snapshot {
	if n.cluster.Set == nil {
		return n.cluster.store.Latest()
	}
	return n.cluster.Set.Latest(n.Index)
}

// committed is the newest state that a majority has, as far as the node knows.
func (n *Node) committed() *store.Snapshot {
	if n.cluster.Set == nil {
		return n.cluster.store.Latest()
	}
	return n.cluster.Set.Committed(n.Index)
}

// operationTime is the time of the last write that the node has.
func (n *Node) operationTime() bson.Timestamp {
	if n.cluster.Set == nil {
		return n.cluster.clock.ClusterTime()
	}
	return n.cluster.Set.OperationTime(n.Index)
}

// Listen opens the node's port. A restarted node takes the port that it had.
func (n *Node) Listen(address string) error {
	listener, err := n.cluster.Listen(address)
	if err != nil {
		return fmt.Errorf("mongotest: node %d: %w", n.Index, err)
	}
	n.SetAddress(listener.Addr().String())
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listener = listener
	return nil
}

// Serve accepts connections until the listener is closed. It returns at once.
func (n *Node) Serve() {
	n.mu.Lock()
	listener := n.listener
	n.mu.Unlock()
	if listener == nil {
		return
	}
	n.running.Go(func() {
		for {
			nc, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue // a client that gave up while it waited
			}
			n.Admit(nc)
		}
	})
}

// Admit starts to serve a connection.
func (n *Node) Admit(nc net.Conn) {
	if n.cluster.TLS != nil {
		nc = tls.Server(nc, n.cluster.TLS)
	}
	c := newConn(n, nc)
	n.mu.Lock()
	if n.Stopped() {
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

func (n *Node) forget(c *conn) {
	c.close()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, c)
}

// Stop closes the listener and every connection and waits for what they were doing.
func (n *Node) Stop() {
	n.Process.Stop() // so that no connection is admitted any more
	n.mu.Lock()
	if n.listener != nil {
		n.listener.Close()
		n.listener = nil
	}
	n.mu.Unlock()
	n.CloseConnections()
	n.Heal() // only now, so that nothing that waited for the end of a partition is answered
	n.running.Wait()
	n.engine.Cursors().KillAll()
}

// Restart makes a stopped node run again as a new process. Its fail points are off.
func (n *Node) Restart() {
	n.failPoints.Reset()
	n.Process.Restart()
}

// ResetFailPoints switches every fail point of the node off.
func (n *Node) ResetFailPoints() { n.failPoints.Reset() }

// CloseConnections cuts every connection of the node.
func (n *Node) CloseConnections() {
	for _, c := range n.connections() {
		c.close()
	}
}

func (n *Node) connections() []*conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]*conn, 0, len(n.conns))
	for c := range n.conns {
		list = append(list, c)
	}
	return list
}

// closeIdleCursors closes the cursors of no session that have not been used for cursorTimeoutMillis. It looks for
// them at most once a second.
func (n *Node) closeIdleCursors() {
	now := n.cluster.Now()
	if last := n.swept.Swap(now.Unix()); last == now.Unix() {
		return
	}
	limit := n.cluster.parameters.duration("cursorTimeoutMillis", time.Millisecond)
	n.engine.Cursors().KillIdle(now.Add(-limit))
}

// String names the node in test logs.
func (n *Node) String() string { return fmt.Sprintf("node %d (%s)", n.Index, n.Address()) }
