package server

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/clock"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Shape is the topology of a deployment.
type Shape uint8

// The shapes.
const (
	Standalone Shape = iota
	ReplicaSet
	Sharded
	LoadBalanced
)

// Config configures a Cluster.
type Config struct {
	Shape       Shape
	Size        int // the number of nodes
	Version     string
	Wire        int32 // the wire version of Version
	Now         func() time.Time
	Parameters  map[string]any
	WriteBatch  int // maxWriteBatchSize; 0 = as servers have it
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
	// Received is called with each command that arrives. It may be nil.
	Received func(Command)
	// Answered is called with each command and its outcome. It may be nil.
	Answered func(Command, Outcome)
	// Intercept returns the function that answers a command instead of the server, or nil. It may request the whole
	// command.
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

// Answer is the reply to an intercepted command.
type Answer struct {
	Reply bson.Raw
	Drop  bool
}

// Cluster is the state that the nodes of a deployment share.
type Cluster struct {
	Config
	Nodes    []*Node
	Set      *replica.Set // nil outside a replica set
	Users    *login.Directory
	sessions *session.Registry
	store    *store.Store
	clock    *clock.Clock
	engine   *engine.Engine

	commands   map[string]*command // by every name and alias
	parameters *parameters
	defaults   defaultConcerns

	clusterParameters clusterParameters
	planFilters       planFilters
	writeLock         writeLock
	search            searchIndexes
	catalog           *catalog // of a sharded cluster; nil in other deployments

	connections atomic.Int64 // the number of the newest connection
	analyzers   sync.Map     // what configureQueryAnalyzer set, by the collections' UUIDs
	operations  atomic.Int64

	stop    chan struct{}
	stopped sync.WaitGroup
}

// IsRouter reports whether the nodes are mongos routers.
func (k *Cluster) IsRouter() bool { return k.Shape == Sharded || k.Shape == LoadBalanced }

// isEnabled reports whether a server parameter is on.
func (k *Cluster) isEnabled(parameter string) bool { return k.parameters.isEnabled(parameter) }

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

// Outcome is the result of a command.
type Outcome struct {
	Reply   bson.Raw
	Took    time.Duration
	Dropped bool
}

// clusterParameters are the parameters that setClusterParameter has changed.
type clusterParameters struct {
	mu     sync.Mutex
	values map[string]bson.Raw
}

// planFilters are the index filters by namespace.
type planFilters struct {
	mu   sync.Mutex
	byNS map[string][]bson.Raw
}

// writeLock is the lock of fsync.
type writeLock struct {
	mu   sync.Mutex
	held int64
	free chan struct{} // closed when the lock is released; nil while nothing holds it
}

// wait blocks while the lock is held.
func (l *writeLock) wait(ctx context.Context) error {
	for {
		l.mu.Lock()
		free := l.free
		l.mu.Unlock()
		if free == nil {
			return nil
		}
		select {
		case <-free:
		case <-ctx.Done():
			return interrupt.Err(ctx)
		}
	}
}
