package mongo

import (
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Stats is what a client is doing at one moment. It is a copy: the client does not change it.
type Stats struct {
	Topology   TopologyStats
	Operations OperationStats
	Sessions   SessionStats
	Cursors    int // cursors that are open on a server
}

// TopologyStats says what a client knows about its deployment.
type TopologyStats struct {
	Type    description.TopologyType
	SetName string
	Servers []ServerStats
}

// ServerStats says what a client knows about one server, and how it uses it.
type ServerStats struct {
	Address    string
	Type       description.ServerType
	RTT        time.Duration // the average; 0 when it is unknown
	MinRTT     time.Duration
	LastUpdate time.Time // of the last check, zero when there was none
	LastError  string    // of the last check that failed; empty after one that succeeded
	Operations int64     // operations that the server executes or has been chosen for
	Pool       PoolStats
}

// PoolStats counts the connections to one server.
type PoolStats struct {
	InUse           int // checked out, the ones of cursors and transactions included
	Idle            int
	Establishing    int
	Waiting         int // operations that wait for a connection
	ForCursors      int
	ForTransactions int
	Generation      uint64 // how often the pool was cleared
	Ready           bool   // false while the server is not known to answer
}

// OperationStats counts the operations of a client.
type OperationStats struct {
	InFlight int64
	Finished int64 // failed ones included
	Failed   int64
	Timeouts int64 // failed ones whose time ran out
	Retries  int64
	Running  []RunningOperation // the operations in flight; when there are very many, some of them
}

// RunningOperation is an operation in flight.
type RunningOperation struct {
	ID        int64 // the OperationID of its events
	Operation string
	Database  string
	Age       time.Duration
	Server    string // of the current try; empty while a server is selected
	Try       int    // 1 for the first one; 0 while the first server is selected
}

// SessionStats counts the sessions of a client.
type SessionStats struct {
	InProgress int // started by the program and not ended
	Pooled     int // server sessions that are free to use
}

// Stats tells what the client is doing. It is cheap enough to be called every second.
func (c *Client) Stats() Stats {
	return Stats{
		Topology:   topologyStats(c.topology),
		Operations: operationStats(c.exec.Stats()),
		Sessions:   SessionStats{InProgress: c.NumberSessionsInProgress(), Pooled: c.sessions.Len()},
		Cursors:    int(c.cursors.Load()),
	}
}

func topologyStats(t *topology.Topology) TopologyStats {
	d := t.Description()
	out := TopologyStats{Type: d.Type, SetName: d.SetName}
	for _, server := range t.Servers() {
		s := server.Description()
		p := server.PoolStats()
		stats := ServerStats{
			Address: s.Address, Type: s.Type, RTT: s.RTT, MinRTT: s.MinRTT, LastUpdate: s.LastUpdateTime,
			Operations: server.Operations(),
			Pool: PoolStats{
				InUse: p.InUse(), Idle: p.Available, Establishing: p.Pending, Waiting: p.Waiting,
				ForCursors: p.ForCursors, ForTransactions: p.ForTransactions, Generation: p.Generation, Ready: p.Ready,
			},
		}
		if s.Err != nil {
			stats.LastError = s.Err.Error()
		}
		out.Servers = append(out.Servers, stats)
	}
	return out
}

func operationStats(s exec.Stats) OperationStats {
	out := OperationStats{InFlight: s.InFlight, Finished: s.Finished, Failed: s.Failed, Timeouts: s.Timeouts, Retries: s.Retries}
	for _, op := range s.Running {
		out.Running = append(out.Running, RunningOperation{
			ID: op.ID, Operation: op.Operation, Database: op.Database, Age: time.Since(op.Began), Server: op.Server, Try: op.Try,
		})
	}
	return out
}
