package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
	"github.com/specdrivers/onion/tools/mongotest"
)

// State returns what the page shows now.
func (x *pageSource) State() *view.State {
	now := time.Now()
	nodes := x.deployment().Nodes()
	s := &view.State{
		About: view.About{
			Kind: "deployment", Title: "mongotest " + x.deployment().Version(),
			Detail: dropUser(x.deployment().URI()), Since: x.began.UnixMilli(), Values: true,
		},
		Topology: view.Topology{Type: topologyType(nodes), Servers: []view.Server{}}, Running: []view.Operation{}, Clients: clients(nodes),
		Activity: x.activity.View(now), Problems: x.problems.All(), Changes: x.changes.All(),
	}
	slices.Reverse(s.Problems)
	s.Slowest = x.slowest.All(now)
	s.Slowest = s.Slowest[:min(len(s.Slowest), record.PerMinute)]
	connections := 0
	for _, n := range nodes {
		s.Topology.Servers = append(s.Topology.Servers, serverOf(n))
		s.Running = append(s.Running, runningOn(n, now)...)
		connections += len(n.Connections)
	}
	s.Counts = []view.Count{
		{Name: "in flight", Value: int64(len(s.Running)), Hint: "commands that are being carried out"},
		{Name: "commands", Value: x.received.Load(), Kind: "total", Hint: "that have ended, without those of monitors"},
		{Name: "failed", Value: x.wrong.Load(), Kind: "bad", Hint: "answered with an error, or not at all"},
		{Name: "dropped", Value: x.dropped.Load(), Kind: "bad", Hint: "commands whose connection was closed instead of an answer"},
		{Name: "connections", Value: int64(connections)},
		{Name: "clients", Value: int64(len(s.Clients)), Hint: "programs with the same name and driver count once"},
	}
	return s
}

// dropUser returns a connection string without its user and password.
func dropUser(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "//")
	return scheme + "//" + rest[strings.LastIndexByte(rest, '@')+1:]
}

func serverOf(n mongotest.NodeState) view.Server {
	s := view.Server{Address: n.Address, Type: typeOf(n), Stopped: n.Stopped, Pool: &view.Pool{Ready: true}}
	for _, c := range n.Connections {
		if c.Running != nil && !isMonitoring(c.Running.Name) {
			s.Pool.InUse++
			s.Operations++
		} else {
			s.Pool.Idle++
		}
	}
	if n.Partitioned {
		s.Faults = append(s.Faults, "partitioned")
	}
	if n.Latency > 0 {
		s.Faults = append(s.Faults, "latency "+n.Latency.String())
	}
	if n.Skew != 0 {
		s.Faults = append(s.Faults, "clock off by "+n.Skew.String())
	}
	if n.Behind > 0 {
		s.Faults = append(s.Faults, fmt.Sprintf("lacks %d writes", n.Behind))
	}
	s.Faults = append(s.Faults, n.FailPoints...)
	return s
}

func runningOn(n mongotest.NodeState, now time.Time) (list []view.Operation) {
	for _, c := range n.Connections {
		if c.Running == nil || isMonitoring(c.Running.Name) {
			continue
		}
		list = append(list, view.Operation{
			ID: c.ID, Name: c.Running.Name, Namespace: namespaceOf(*c.Running), Server: n.Address, At: now.Add(-c.Age).UnixMilli(),
			For: view.Milliseconds(c.Age), From: c.AppName,
		})
	}
	return list
}

// typeOf returns the server type that drivers would see.
func typeOf(n mongotest.NodeState) string {
	switch n.Role {
	case "primary":
		return "RSPrimary"
	case "secondary":
		return "RSSecondary"
	case "arbiter":
		return "RSArbiter"
	case "removed":
		return "RSOther"
	case "mongos":
		return "Mongos"
	}
	return "Standalone"
}

// seenType returns the same as typeOf for the history, where an unreachable server is unknown.
func seenType(n mongotest.NodeState) string {
	if n.Stopped || n.Partitioned {
		return "Unknown"
	}
	return typeOf(n)
}

// topologyType returns the topology type that a driver gives a deployment of these nodes.
func topologyType(nodes []mongotest.NodeState) string {
	for _, n := range nodes {
		switch n.Role {
		case "mongos":
			return "Sharded"
		case "standalone":
			return "Single"
		case "primary":
			if !n.Stopped {
				return "ReplicaSetWithPrimary"
			}
		}
	}
	return "ReplicaSetNoPrimary"
}
