package mongotest

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Observer receives what a deployment receives and answers, as it happens. The functions run on the goroutines of the
// connections, which wait for them, and must be safe for concurrent use. A function may be nil.
type Observer struct {
	Received func(Command)
	Answered func(Command, Outcome)
}

// Outcome is the result of a command.
type Outcome struct {
	Reply   bson.Raw      // nil if there was none. The observer must not keep it
	Took    time.Duration // until the reply was written, including the node's latency
	Dropped bool          // the connection was closed before a reply was written, or instead of one
}

// Observe adds an observer. It works with NoCommands too.
func Observe(o Observer) Option {
	return func(c *config) { c.observers = append(c.observers, o) }
}

// setHooks sets the hooks of the server.
func (c *config) setHooks(remember func(server.Command)) {
	var received []func(server.Command)
	var answered []func(server.Command, server.Outcome)
	if !c.unrecorded {
		received = append(received, remember)
	}
	for _, o := range c.observers {
		if o.Received != nil {
			received = append(received, func(cmd server.Command) { o.Received(Command(cmd)) })
		}
		if o.Answered != nil {
			answered = append(answered, func(cmd server.Command, out server.Outcome) { o.Answered(Command(cmd), Outcome(out)) })
		}
	}
	switch len(received) {
	case 0:
	case 1:
		c.Received = received[0]
	default:
		c.Received = func(cmd server.Command) {
			for _, fn := range received {
				fn(cmd)
			}
		}
	}
	if len(answered) > 0 {
		c.Answered = func(cmd server.Command, out server.Outcome) {
			for _, fn := range answered {
				fn(cmd, out)
			}
		}
	}
}

// NodeState is the state of a node at one moment.
type NodeState struct {
	Address     string
	Role        string // "primary", "secondary", "arbiter", "removed", "syncing", "mongos" or "standalone"
	Stopped     bool
	Partitioned bool
	Latency     time.Duration
	Skew        time.Duration
	Behind      int // how many of the last writes it lacks because of Lag
	Connections []ConnectionState
	FailPoints  []string // the names of the active fail points
}

// ConnectionState is one client's connection to a node.
type ConnectionState struct {
	ID      int64
	Client  string // the client's address
	AppName string
	Driver  string   // the name and the version of the client's driver
	Running *Command // nil while it is idle
	Age     time.Duration
}

// Nodes returns the current state of each node.
func (d *Deployment) Nodes() []NodeState {
	var list []NodeState
	for _, n := range d.cluster.Nodes {
		s := n.State()
		state := NodeState{
			Address: s.Address, Role: s.Role, Stopped: s.Stopped, Partitioned: s.Partitioned,
			Latency: s.Latency, Skew: s.Skew, Behind: s.Behind, FailPoints: s.FailPoints,
		}
		for _, c := range s.Connections {
			state.Connections = append(state.Connections, ConnectionState{
				ID: c.ID, Client: c.Client, AppName: c.AppName, Driver: c.Driver, Running: (*Command)(c.Running), Age: c.Age,
			})
		}
		list = append(list, state)
	}
	return list
}

// SetFailPoint switches a fail point of node i on or off. It takes the same document as the command configureFailPoint.
func (d *Deployment) SetFailPoint(i int, command any) error {
	raw, err := bson.Marshal(command)
	if err != nil {
		return err
	}
	return d.node(i).SetFailPoint(raw)
}

// Heal ends a partition of node i early.
func (d *Deployment) Heal(i int) { d.node(i).Heal() }
