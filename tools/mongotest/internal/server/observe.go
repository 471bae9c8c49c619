package server

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// State is a snapshot of a node.
type State struct {
	Address              string
	Role                 string
	Stopped, Partitioned bool
	Latency, Skew        time.Duration
	Behind               int
	Connections          []ConnState
	FailPoints           []string
}

// ConnState is a snapshot of a connection.
type ConnState struct {
	ID              int64
	Client          string
	AppName, Driver string
	Running         *Command
	Age             time.Duration
}

// State returns a snapshot of the node.
func (n *Node) State() State {
	s := State{
		Address: n.Address(), Role: n.role(), Stopped: n.Stopped(), Partitioned: n.Partition() != nil,
		Latency: time.Duration(n.Latency.Load()), Skew: time.Duration(n.Skew.Load()), Behind: n.lagOf(),
		FailPoints: n.failPoints.Active(),
	}
	for _, c := range n.connections() {
		s.Connections = append(s.Connections, c.state())
	}
	return s
}

func (n *Node) role() string {
	switch {
	case n.cluster.IsRouter():
		return "mongos"
	case n.cluster.Set == nil:
		return "standalone"
	}
	role, _ := n.cluster.Set.RoleOf(n.Index)
	return role.String()
}

// lagOf returns the Lag that a test set for the node: the number of newest writes that it lacks.
func (n *Node) lagOf() int {
	if n.cluster.Set == nil {
		return 0
	}
	return n.cluster.Set.Lags(n.Index)
}

func (c *conn) state() ConnState {
	s := ConnState{ID: c.id, Client: c.nc.RemoteAddr().String()}
	c.mu.Lock()
	s.AppName, s.Driver = c.appName, c.driver
	c.mu.Unlock()
	o := c.operation.Load()
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.request; r != nil {
		s.Running, s.Age = r.describe(s.AppName), time.Since(o.began)
	}
	return s
}

// describe returns the part of a request in progress that other goroutines may see. Authentication commands come without a
// body.
func (r *request) describe(app string) *Command {
	c := &Command{Node: r.node.Index, Name: r.Name, DB: r.DB, Body: r.Body, ConnectionID: r.conn.id, AppName: app}
	if logmsg.Sensitive(r.Name, true) {
		c.Body = nil
	}
	return c
}

// SetFailPoint runs the command configureFailPoint.
func (n *Node) SetFailPoint(command bson.Raw) error {
	_, err := n.failPoints.Configure((&call.Call{Wire: n.cluster.Wire}).Inner(command, "admin"))
	return err
}

// reportOutcome reports a request's outcome to the observers. The request began at the given time.
func (r *request) reportOutcome(began time.Time, reply bson.Raw, err error) {
	if r.cluster.Answered != nil {
		r.cluster.Answered(r.describeReceived(), Outcome{Reply: reply, Took: time.Since(began), Dropped: err != nil})
	}
}

// Stored returns an immutable snapshot of what the deployment holds.
func (k *Cluster) Stored() *store.Snapshot { return k.store.Latest() }
