package server

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/clock"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/process"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Shape is what a deployment is made of.
type Shape uint8

// The shapes.
const (
	Standalone Shape = iota
	ReplicaSet
	Sharded
	LoadBalanced
)

// Config is what a Cluster is made from.
type Config struct {
	Shape       Shape
	Size        int // how many nodes
	Version     string
	Wire        int32 // the wire version of Version
	Now         func() time.Time
	Parameters  map[string]any
	RequireAuth bool
	TLS         *tls.Config
	Login       login.Config
	Scripts     script.Engine // runs JavaScript; nil refuses it
	Search      bool          // there are search indexes

	SetName       string
	ElectionDelay time.Duration
	LoseWrites    bool
	Modes         map[string]map[string]int // write concern modes

	Listen func(address string) (net.Listener, error)
	// Received is called with each command that arrives. Nil records nothing.
	Received func(Command)
	// Answered is called with each command and what became of it. Nil hears nothing.
	Answered func(Command, Outcome)
	// Intercept returns the function that answers a command in the server's place, or nil. It may ask for the whole command.
	Intercept func(name string, received func() Command) func(Command) Answer
}

// Command is one command that a node received.
type Command struct {
	Node         int
	Name         string
	DB           string
	Body         bson.Raw
	Sequences    map[string][]bson.Raw
	ConnectionID int64
	AppName      string
}

// Answer is what an intercepted command is answered with.
type Answer struct {
	Reply bson.Raw
	Drop  bool
}

// Cluster is what the nodes of a deployment share.
type Cluster struct {
	Config
	Nodes    []*Node
	Set      *replica.Set // nil outside a replica set
	Users    *login.Directory
	sessions *session.Registry
	store    *store.Store
	clock    *clock.Clock
	engine   *engine.Engine

	commands   map[string]*command // by every name
	parameters *parameters
	defaults   defaultConcerns

	clusterParameters clusterParameters
	planFilters       planFilters
	writeLock         writeLock
	search            searchIndexes
	catalog           *catalog // of a sharded cluster; nil for any other deployment

	connections atomic.Int64 // the number of the last one
	operations  atomic.Int64

	stop    chan struct{}
	stopped sync.WaitGroup
}

// New makes the nodes of a deployment. None of them listens yet.
func New(c Config) *Cluster {
	s := store.New(store.Config{Now: c.Now})
	k := &Cluster{
		Config: c, store: s, clock: clock.New(s, c.Now), Users: login.New(c.Login), parameters: newParameters(c.Parameters),
		commands: newTable(),
		stop:     make(chan struct{}),
	}
	var processes []*process.Process
	for i := range c.Size {
		processes = append(processes, process.New(i))
	}
	if c.Shape == ReplicaSet {
		k.Set = replica.New(k.setConfig(processes))
		k.provideLocal()
	}
	if c.Shape == Sharded || c.Shape == LoadBalanced {
		k.catalog = newCatalog()
		k.provideConfig()
	}
	k.sessions = session.New(k.sessionConfig())
	hooks := engine.Hooks{
		LocalSessions: k.sessions.List, CurrentOp: k.currentOperations, Distribution: k.distribution, Latency: k.latency,
	}
	if c.Search {
		hooks.SearchIndexes = k.listSearchIndexes
	}
	k.engine = engine.New(engine.Config{
		Store: s, Now: c.Now, Standalone: c.Shape == Standalone, Scripts: c.Scripts,
		Hooks: hooks,
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

// endWrites ends what a lost primary had under way: transactions, and writes that have not taken effect yet.
func (k *Cluster) endWrites(node int) {
	for _, c := range k.Nodes[node].connections() {
		c.operation.endWrite()
	}
	k.sessions.AbortAll()
}

func (k *Cluster) sessionConfig() session.Config {
	c := session.Config{
		Now: k.Now, Standalone: k.Shape == Standalone, Router: k.IsRouter(), Store: k.store, Set: k.Set,
		Ended: func(lsid bson.Raw) {
			for _, n := range k.Nodes {
				n.engine.Cursors().KillSession(lsid)
				for _, c := range n.connections() {
					c.operation.killSession(lsid)
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

// expireEvery is how often TTL indexes are looked at. A real server does it once a minute.
const expireEvery = time.Second

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

// Close stops every node and waits until nothing of the cluster runs.
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

// IsRouter reports whether the nodes are mongos routers.
func (k *Cluster) IsRouter() bool { return k.Shape == Sharded || k.Shape == LoadBalanced }

// enabled reports whether a server parameter is on.
func (k *Cluster) enabled(parameter string) bool { return k.parameters.enabled(parameter) }

// majorityByDefault reports whether a write without a write concern waits for a majority.
func (k *Cluster) majorityByDefault() bool {
	switch {
	case k.Wire < wire.Server50:
		return false
	case k.Set == nil:
		return k.IsRouter()
	}
	return k.Set.MajorityByDefault()
}
