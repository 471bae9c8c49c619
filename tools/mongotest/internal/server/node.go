package server

import (
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
	admission admission
	*process.Process
	cluster    *Cluster
	engine     *engine.Engine // with the node's cursors
	failPoints failpoint.Points
	counters   counters
	profiler   profiler
	usage      usage
	coders     compress.Coders
	swept      atomic.Int64 // the second in which the node last looked for idle cursors

	mu       sync.Mutex
	listener net.Listener // nil while the node is down, and behind a load balancer
	conns    map[*conn]struct{}

	running sync.WaitGroup
	turn    chan struct{} // held while the node stops or restarts; a channel, so virtual time can pass
}

// latestSnapshot returns the newest state that the node has.
func (n *Node) latestSnapshot() *store.Snapshot {
	if n.cluster.Set == nil {
		return n.cluster.store.Latest()
	}
	return n.cluster.Set.Latest(n.Index)
}

// committed returns the newest state that a majority has, as far as the node can tell.
func (n *Node) committed() *store.Snapshot {
	if n.cluster.Set == nil {
		return n.cluster.store.Latest()
	}
	return n.cluster.Set.CommittedSnapshot(n.Index)
}

// operationTime returns the time of the last write that the node has.
func (n *Node) operationTime() bson.Timestamp {
	if n.cluster.Set == nil {
		return n.cluster.clock.ClusterTime()
	}
	return n.cluster.Set.OperationTime(n.Index)
}

// ResetFailPoints turns off all fail points of the node.
func (n *Node) ResetFailPoints() { n.failPoints.Reset() }

func (n *Node) connections() []*conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]*conn, 0, len(n.conns))
	for c := range n.conns {
		list = append(list, c)
	}
	return list
}

// closeIdleCursors closes cursors outside sessions that have been unused for cursorTimeoutMillis. It looks for them at
// most once a second.
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
