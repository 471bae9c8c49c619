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
	Cursors    int // open on a server, including the cursors of change streams

	ChangeStreams int // neither closed nor ended
}

// TopologyStats says what a client knows about its deployment.
type TopologyStats struct {
	Type    description.TopologyType
	Since   time.Time // when the deployment got this type
	SetName string
	Servers []ServerStats
}

// ServerStats says what a client knows about one server, and how it uses it.
type ServerStats struct {
	Address    string
	Type       description.ServerType
	Since      time.Time     // when the server got this type
	RTT        time.Duration // the average; 0 when it is unknown
	MinRTT     time.Duration
	LastUpdate time.Time // when the last check ended, zero before the first
	Error      string    // why the server is Unknown; empty when it is not, and before the first check

	// LastError is the last error of the server, and LastErrorAt when the driver noticed it. They stay when the server
	// has recovered.
	LastError   string
	LastErrorAt time.Time

	Operations int64 // operations that the server executes or has been chosen for
	Pool       PoolStats
}

// PoolStats describes the pool of connections to one server.
type PoolStats struct {
	InUse           int // checked out, including connections of cursors and transactions
	Idle            int
	Establishing    int
	Waiting         int           // operations that wait for a connection
	OldestWait      time.Duration // how long the operation that is next in line has waited; 0 when none waits
	ForCursors      int
	ForTransactions int
	Generation      uint64 // how many times the pool was cleared
	Ready           bool   // false while the server is not known to answer
}

// OperationStats counts the operations of a client since it was made.
type OperationStats struct {
	InFlight int64
	Finished int64 // failed ones included
	Failed   int64 // those with writes that failed included
	Retries  int64 // tries after the first one
	Cleaning int64 // killCursors, aborts and deletions that go on after calls whose context has ended
	Failures FailureStats
	Timeouts TimeoutStats
	Running  []RunningOperation // the operations in flight, or some of them when there are very many
}

// FailureStats counts the operations that failed, by their kind. Each is counted once, so the sum is Failed. An
// operation with several write errors has the kind of the first one.
type FailureStats struct {
	Server       int64 // the server refused the command
	DuplicateKey int64 // a unique index has the key of a write already
	Write        int64 // another write error, such as a document that its collection's validator refuses
	WriteConcern int64 // the write was made, and its write concern was not satisfied
	Network      int64
	Timeout      int64 // the sum of TimeoutStats
	Canceled     int64 // the context was canceled
	Other        int64
}

// TimeoutStats counts the operations that failed because time ran out, by what was going on at that moment.
type TimeoutStats struct {
	Selection int64 // waiting for a suitable server
	CheckOut  int64 // waiting for a connection from the pool
	Network   int64 // connecting to the server, or waiting for its reply
	Server    int64 // the server stopped the command, which had run longer than its maxTimeMS
	Other     int64 // anything else, such as waiting to retry, or too little time left to send the command
}

// RunningOperation is an operation in flight.
type RunningOperation struct {
	ID         int64 // the OperationID of its events
	Operation  string
	Database   string
	Collection string // empty for a command on no collection
	Age        time.Duration
	Server     string // of the current try; empty while a server is selected
	Try        int    // 1 for the first one; 0 while the first server is selected
}

// SessionStats counts the sessions of a client.
type SessionStats struct {
	InProgress int // started by the program and not ended
	Pooled     int // server sessions that are free to use
}

// Stats tells what the client is doing. It is cheap enough to call every second.
func (c *Client) Stats() Stats {
	if c == nil || c.shared == nil {
		return Stats{}
	}
	return Stats{
		Topology:   topologyStats(c.topology),
		Operations: operationStats(c.exec.Stats()),
		Sessions:   SessionStats{InProgress: c.NumberSessionsInProgress(), Pooled: c.sessions.Len()},
		Cursors:    int(c.cursors.Load()),

		ChangeStreams: int(c.streams.Load()),
	}
}

func topologyStats(t *topology.Topology) TopologyStats {
	d := t.Description()
	out := TopologyStats{Type: d.Type, Since: t.TypeSince(), SetName: d.SetName}
	for _, server := range t.Servers() {
		s := server.Description()
		p := server.PoolStats()
		stats := ServerStats{
			Address: s.Address, Type: s.Type, Since: server.TypeSince(), RTT: s.RTT, MinRTT: s.MinRTT, LastUpdate: s.LastUpdateTime,
			Operations: server.Operations(),
			Pool: PoolStats{
				InUse: p.InUse(), Idle: p.Available, Establishing: p.Pending, Waiting: p.Waiting, OldestWait: p.OldestWait,
				ForCursors: p.ForCursors, ForTransactions: p.ForTransactions, Generation: p.Generation, Ready: p.Ready,
			},
		}
		if s.Err != nil {
			stats.Error = s.Err.Error()
		}
		if at, err := server.LastError(); err != nil {
			stats.LastError, stats.LastErrorAt = err.Error(), at
		}
		out.Servers = append(out.Servers, stats)
	}
	return out
}

func operationStats(s exec.Stats) OperationStats {
	out := OperationStats{
		InFlight: s.InFlight, Finished: s.Finished, Failed: s.Failed, Retries: s.Retries, Cleaning: s.Cleaning,
		Failures: FailureStats{
			Server: s.Failures[exec.FailureServer], DuplicateKey: s.Failures[exec.FailureDuplicateKey],
			Write: s.Failures[exec.FailureWrite], WriteConcern: s.Failures[exec.FailureWriteConcern],
			Network: s.Failures[exec.FailureNetwork], Timeout: s.Failures[exec.FailureTimeout],
			Canceled: s.Failures[exec.FailureCanceled], Other: s.Failures[exec.FailureOther],
		},
		Timeouts: TimeoutStats{
			Selection: s.Timeouts[exec.TimeoutSelection], CheckOut: s.Timeouts[exec.TimeoutCheckOut],
			Network: s.Timeouts[exec.TimeoutNetwork], Server: s.Timeouts[exec.TimeoutServer],
			Other: s.Timeouts[exec.TimeoutOther],
		},
	}
	for _, op := range s.Running {
		out.Running = append(out.Running, RunningOperation{
			ID: op.ID, Operation: op.Operation, Database: op.Database, Collection: op.Collection,
			Age: time.Since(op.Began), Server: op.Server, Try: op.Try,
		})
	}
	return out
}
