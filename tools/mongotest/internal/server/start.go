package server

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/clock"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/process"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// New makes the nodes of a deployment. None of them listens yet.
func New(c Config) *Cluster {
	s := store.New(store.Config{Now: c.Now})
	k := &Cluster{
		Config: c, store: s, clock: clock.New(s, c.Now), Users: login.New(c.Login), parameters: newParameters(c.Parameters),
		commands: table(),
		stop:     make(chan struct{}),
	}
	var processes []*process.Process
	for i := range c.Size {
		processes = append(processes, process.New(i))
	}
	if c.Shape == ReplicaSet {
		k.Set = replica.New(k.setConfig(processes))
		k.provideLocal()
		s.SetKeepsPast(k.Set.ReadsPast)
	}
	if c.Shape == Standalone {
		s.DisableLog()
	}
	if c.Shape == Sharded || c.Shape == LoadBalanced {
		k.catalog = newCatalog(s.Latest)
		k.provideConfig()
	}
	k.provideSystem()
	k.sessions = session.New(k.sessionConfig())
	hooks := engine.Hooks{
		LocalSessions: k.sessions.List, CurrentOp: k.currentOperations, Distribution: k.distribution, Latency: k.latency,
		Roles: k.rolesOf, Placement: k.placement,
	}
	if c.Search {
		hooks.SearchIndexes = k.listSearchIndexes
	}
	k.engine = engine.New(engine.Config{
		Store: s, Now: c.Now, Standalone: c.Shape == Standalone, Scripts: c.Scripts,
		Hooks: hooks, Kept: k.keptDatabases(), Shard: k.shardOf(),
	})
	for _, p := range processes {
		k.Nodes = append(k.Nodes, newNode(k, p))
	}
	k.stopped.Go(k.expire)
	return k
}

func (k *Cluster) setConfig(processes []*process.Process) replica.Config {
	return replica.Config{
		Name: k.SetName, Wire: k.Wire, ElectionDelay: k.ElectionDelay, Modes: k.Modes, LoseWrites: k.LoseWrites,
		Processes: processes, Store: k.store, Clock: k.clock, Now: k.Now,
		Lost:       k.endWrites,
		Forget:     func(after store.Timestamp) { k.sessions.Forget(after) },
		RolledBack: func(node int) { k.Nodes[node].engine.Cursors().KillAll() },
	}
}

func (k *Cluster) sessionConfig() session.Config {
	c := session.Config{
		Now: k.Now, Standalone: k.Shape == Standalone, Router: k.IsRouter(), Shard: shardName, Store: k.store, Set: k.Set,
		Ended: func(lsid bson.Raw) {
			for _, n := range k.Nodes {
				n.engine.Cursors().KillSession(lsid)
				for _, c := range n.connections() {
					c.operation.Load().killSession(lsid)
				}
			}
		},
		Aborted: func(lsid bson.Raw) {
			for _, n := range k.Nodes {
				n.engine.Cursors().KillTransaction(lsid)
			}
		},
	}
	c.TimeoutMinutes = int(k.parameters.duration("localLogicalSessionTimeoutMinutes", time.Minute) / time.Minute)
	c.TransactionLifetime = func() time.Duration { return k.parameters.duration("transactionLifetimeLimitSeconds", time.Second) }
	return c
}

// expire removes expired documents and aborts old transactions until the cluster is closed.
func (k *Cluster) expire() {
	ticker := time.NewTicker(expireEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			k.sessions.AbortOld()
			k.engine.Expire()
		case <-k.stop:
			return
		}
	}
}

// expireEvery is the interval of TTL passes. A real server makes one each minute.
const expireEvery = time.Second

// Close stops every node and waits until everything in the cluster has ended.
func (k *Cluster) Close() {
	if k.Set != nil {
		k.Set.Close()
	}
	for _, n := range k.Nodes {
		n.Stop()
	}
	close(k.stop)
	k.stopped.Wait()
}

// endWrites ends the open work of a lost primary: transactions, and writes that have not taken effect.
func (k *Cluster) endWrites(node int) {
	for _, c := range k.Nodes[node].connections() {
		c.operation.Load().endWrite()
	}
	k.sessions.AbortAll()
}

func newNode(k *Cluster, p *process.Process) *Node {
	n := &Node{Process: p, cluster: k, conns: map[*conn]struct{}{}, turn: make(chan struct{}, 1)}
	n.engine = k.engine.Member(n.latestSnapshot, n.committed)
	return n
}
