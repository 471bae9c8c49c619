package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Placement is where the documents of a collection are.
type Placement struct {
	Key       bson.Raw // the shard key; nil if the collection is not sharded
	Shards    []string // empty without shards
	Balancing bool     // the balancer may move its chunks
}

// Hooks are what a few stages and replies need from the layer above. A nil hook returns nothing.
type Hooks struct {
	// LocalSessions lists the sessions of this server, for $listLocalSessions and $listSessions.
	LocalSessions func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// CurrentOp lists the running operations, for $currentOp.
	CurrentOp func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// Distribution returns each shard's part of every sharded collection, for $shardedDataDistribution.
	Distribution func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// Placement says where a collection is, for $listClusterCatalog.
	Placement func(namespace string) Placement
	// SearchIndexes lists the search indexes of a collection, for $listSearchIndexes; nil refuses the stage.
	SearchIndexes func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// Latency returns the time that reads, writes and commands on a collection took, for latencyStats, with or without
	// histograms.
	Latency func(namespace string, histograms bool) bson.D
	// Roles lists the roles of a request's caller, for $$USER_ROLES; nil is none.
	Roles func(caller any) bson.RawValue
}

// Config configures an Engine.
type Config struct {
	Store *store.Store
	// Now is the wall clock; nil is time.Now.
	Now   func() time.Time
	Hooks Hooks
	// Scripts runs JavaScript; nil refuses it.
	Scripts script.Engine
	// Standalone says that there is no replica set, and so no change streams.
	Standalone bool
	// Shard is the name that stages give the shard that they run on. It is empty without shards.
	Shard string
	// Kept maps each database that dropDatabase refuses to drop to the reason.
	Kept map[string]string
}

// Engine runs data commands on one store.
type Engine struct {
	store      *store.Store
	now        func() time.Time
	hooks      Hooks
	standalone bool
	kept       map[string]string
	shard      string
	scripts    script.Engine
	cursors    *Cursors
	view       func() *store.Snapshot // the newest state that may be read; nil means the store's
	committed  func() *store.Snapshot // the newest state that a majority has; nil means the same as view
}

// New makes an engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Store.Derive(bucketsOf)
	return &Engine{
		store: c.Store, now: c.Now, hooks: c.Hooks, standalone: c.Standalone, kept: c.Kept, shard: c.Shard, scripts: c.Scripts,
		cursors: newCursors(),
	}
}

// Member is another engine on the same data, for one server of several. It has its own cursors and reads the state that
// view returns, which may lack the last writes. committed returns the state that a majority has, for change streams.
func (e *Engine) Member(view, committed func() *store.Snapshot) *Engine {
	member := *e
	member.cursors, member.view, member.committed = newCursors(), view, committed
	return &member
}

// majority returns the newest state that a majority has, as far as this server can tell.
func (e *Engine) majority() *store.Snapshot {
	if e.committed != nil {
		return e.committed()
	}
	return e.latestSnapshot()
}

// latestSnapshot returns the newest state that may be read.
func (e *Engine) latestSnapshot() *store.Snapshot {
	if e.view != nil {
		return e.view()
	}
	return e.store.Latest()
}

// Store returns the data that the engine works on.
func (e *Engine) Store() *store.Store { return e.store }

// Cursors returns the open cursors.
func (e *Engine) Cursors() *Cursors { return e.cursors }

// Handler runs a command and appends the elements of its reply.
type Handler func(e *Engine, ctx context.Context, r *Request, dst []byte) ([]byte, error)
