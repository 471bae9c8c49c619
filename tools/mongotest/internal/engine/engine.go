package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Hooks are what a few stages and replies need from the layer above. A nil hook gives nothing.
type Hooks struct {
	// LocalSessions lists the sessions of this server, for $listLocalSessions and $listSessions.
	LocalSessions func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// CurrentOp lists the running operations, for $currentOp.
	CurrentOp func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// Distribution tells how much of each sharded collection each shard has, for $shardedDataDistribution.
	Distribution func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// SearchIndexes lists the search indexes of a collection, for $listSearchIndexes; nil refuses the stage.
	SearchIndexes func(r *Request, spec bson.Raw) ([]bson.Raw, error)
	// Latency tells how long the reads, writes and commands on a collection took, for latencyStats.
	Latency func(namespace string) bson.D
}

// Config is what an Engine is made from.
type Config struct {
	Store *store.Store
	// Now is the wall clock; nil is time.Now.
	Now   func() time.Time
	Hooks Hooks
	// Scripts runs JavaScript; nil refuses it.
	Scripts script.Engine
	// Standalone tells that there is no replica set, and so no change stream.
	Standalone bool
}

// Engine runs data commands on one store.
type Engine struct {
	store      *store.Store
	now        func() time.Time
	hooks      Hooks
	standalone bool
	scripts    script.Engine
	cursors    *Cursors
	view       func() *store.Snapshot // the newest state that may be read; nil is that of the store
	committed  func() *store.Snapshot // the newest state that a majority has; nil is the same
}

// New makes an engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Store.Derive(buckets)
	return &Engine{
		store: c.Store, now: c.Now, hooks: c.Hooks, standalone: c.Standalone, scripts: c.Scripts, cursors: newCursors(),
	}
}

// Member is another engine on the same data, that of one server of several: it has cursors of its own, and reads the
// state that view gives, which may lack the last writes. committed gives the state that a majority has, for change streams.
func (e *Engine) Member(view, committed func() *store.Snapshot) *Engine {
	member := *e
	member.cursors, member.view, member.committed = newCursors(), view, committed
	return &member
}

// majority is the newest state that a majority has, as far as this server knows.
func (e *Engine) majority() *store.Snapshot {
	if e.committed != nil {
		return e.committed()
	}
	return e.latest()
}

// latest is the newest state that may be read.
func (e *Engine) latest() *store.Snapshot {
	if e.view != nil {
		return e.view()
	}
	return e.store.Latest()
}

// Store is the data that the engine works on.
func (e *Engine) Store() *store.Store { return e.store }

// Cursors are the open cursors.
func (e *Engine) Cursors() *Cursors { return e.cursors }

// Handler runs a command and appends the elements of its reply.
type Handler func(e *Engine, ctx context.Context, r *Request, dst []byte) ([]byte, error)
