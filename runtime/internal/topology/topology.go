package topology

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/sdam"
)

// Topology is a client's connection to its deployment. Its methods may be called from any goroutine.
type Topology struct {
	cfg     Config
	set     settings
	id      bson.ObjectID
	model   *sdam.Model
	publish *observe.Topology
	pools   *event.PoolMonitor // nil without a listener

	current atomic.Pointer[snapshot]
	turn    chan struct{} // held by the one goroutine that changes the description and applies the effects
	closed  bool          // guarded by turn

	monitorIDs atomic.Int64 // numbers the monitors' connections

	ctx      context.Context // ends when the topology is closed; for background work
	cancel   context.CancelFunc
	monitors sync.WaitGroup // monitors, their round trip goroutines and the SRV poller
	closing  sync.WaitGroup // pools of servers that have left the topology
	start    sync.Once
}

// snapshot is a description and the servers in it. It never changes.
type snapshot struct {
	description description.Topology
	servers     map[string]*Server
	changed     chan struct{} // closed when the next snapshot is current
	closed      bool
	since       time.Time // when the topology got its current type
	changes     uint64    // how often a type changed, or a server came or left
}

// New makes a topology. It does nothing before Connect.
func New(cfg Config) *Topology {
	cfg = cfg.withDefaults()
	t := &Topology{
		cfg:   cfg,
		set:   settingsOf(&cfg),
		id:    newTopologyID(),
		pools: observe.Pools(cfg.Options.PoolMonitor, cfg.Log),
		turn:  make(chan struct{}, 1),
	}
	t.publish = observe.NewTopology(t.id, cfg.Options.ServerMonitor, cfg.Log)
	t.model = sdam.NewModel(cfg.Hosts, cfg.Options, t.id)
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.current.Store(&snapshot{
		description: description.Topology{Compatible: true}, changed: make(chan struct{}), since: time.Now(),
	})
	return t
}

// ID is the id that events and log messages use for the topology.
func (t *Topology) ID() bson.ObjectID { return t.id }

// Connect publishes the opening events and starts the monitors. It does no I/O itself and does not wait. A second call
// does nothing.
func (t *Topology) Connect() {
	t.start.Do(func() {
		t.update(func(description.Topology) (description.Topology, sdam.Effects) { return t.model.Initial() })
		if t.cfg.SRVName != "" {
			t.monitors.Go(t.pollSRV)
		}
	})
}

// Description is what the driver currently knows about the deployment. The caller must not change it.
func (t *Topology) Description() *description.Topology { return &t.current.Load().description }

// Servers are the current servers of the topology, in the order of its description.
func (t *Topology) Servers() []*Server {
	now := t.current.Load()
	list := make([]*Server, 0, len(now.servers))
	for i := range now.description.Servers {
		if s := now.servers[now.description.Servers[i].Address]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Close stops the monitors, closes the pools and waits until every goroutine has ended, or until ctx ends. All
// operations fail, including those that wait for a server. A second call does nothing.
func (t *Topology) Close(ctx context.Context) error {
	t.start.Do(func() {}) // a Connect after this does nothing
	t.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.monitors.Wait() // so that no heartbeat is published after the closing events
		t.shutDown()
		t.closing.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shutDown removes every server and publishes the closing events.
func (t *Topology) shutDown() {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if t.closed {
		return
	}
	t.closed = true
	before := t.current.Load()
	next, fx := t.model.Close(before.description)
	t.current.Store(&snapshot{description: next, changed: make(chan struct{}), closed: true, since: time.Now()})
	close(before.changed)
	if before.servers == nil {
		return // it was never connected
	}
	t.publish.PublishAll(fx.Events)
	for _, address := range fx.Closed {
		before.servers[address].shutDown()
	}
}

// RequestCheckAll asks every monitor to check its server as soon as a check is allowed.
func (t *Topology) RequestCheckAll() {
	for _, s := range t.current.Load().servers {
		s.requestCheck()
	}
}
