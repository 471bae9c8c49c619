package mongotest

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/oplog"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// data is what the nodes of a deployment hold in common: the documents and the logical clock.
type data struct {
	store  *store.Store
	engine *engine.Engine
	began  bson.Timestamp // the logical time of a deployment in which nothing was written

	mu    sync.Mutex
	acked store.Timestamp // the last write that a majority acknowledged

	stop    chan struct{}
	stopped sync.WaitGroup
}

// expireEvery is how often TTL indexes are looked at; a real server does it once a minute.
const expireEvery = time.Second

func newData(c *config, hooks engine.Hooks, setConfig func() []bson.Raw, tick func()) *data {
	s := store.New(store.Config{Now: c.now})
	if c.kind == replicaSet {
		provideLocal(s, c.wireVersion, setConfig)
	}
	d := &data{
		store:  s,
		engine: engine.New(engine.Config{Store: s, Now: c.now, Hooks: hooks, Standalone: c.kind == standalone}),
		began:  bson.Timestamp{T: uint32(c.now().Unix()), I: 1},
		stop:   make(chan struct{}),
	}
	d.stopped.Go(func() { d.expire(tick) })
	return d
}

// oplogSize is how large local.oplog.rs says it may become.
const oplogSize = 1 << 30

// provideLocal gives the database local the collections of a member: its oplog, and the configuration of the set.
func provideLocal(s *store.Store, version int32, setConfig func() []bson.Raw) {
	shown := newReply().boolean("capped", true).int64("size", oplogSize).boolean("autoIndexId", false).done()
	log := store.Options{Capped: true, MaxSize: oplogSize, Document: shown}
	s.ProvideOplog("local", "oplog.rs", log, func(list []*store.Entry) bson.Raw { return oplog.Document(list, version) })
	s.Provide(store.Provided{DB: "local", Name: "system.replset", Documents: func(store.Timestamp) []bson.Raw { return setConfig() }})
	s.Noop("initiating set")
}

// expire removes the documents whose time is over, and whatever else tick does, until the deployment is closed.
func (d *data) expire(tick func()) {
	ticker := time.NewTicker(expireEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			tick()
			d.engine.Expire()
		case <-d.stop:
			return
		}
	}
}

func (d *data) close() {
	close(d.stop)
	d.stopped.Wait()
}

// cursorTimeout is how long a cursor lives that belongs to no session and that nobody uses.
const cursorTimeout = 10 * time.Minute

// closeIdleCursors closes the cursors that nobody has used for too long, when the clock has moved since it last did so.
func (n *node) closeIdleCursors() {
	now := n.d.config.now()
	if last := n.swept.Swap(now.Unix()); last == now.Unix() {
		return
	}
	limit := cursorTimeout
	if ms, ok := n.d.config.parameters["cursorTimeoutMillis"].(int); ok {
		limit = time.Duration(ms) * time.Millisecond
	}
	n.engine.Cursors().KillIdle(now.Add(-limit))
}

// killCursors closes the cursors of a session, wherever they are.
func (d *Deployment) killCursors(lsid bson.Raw) {
	for _, n := range d.nodes {
		n.engine.Cursors().KillSession(lsid)
	}
}

// clusterTime is the time of the last write. It never goes back, except by rollBack.
func (d *data) clusterTime() bson.Timestamp { return d.sinceBegan(d.store.Latest().Time()) }

// operationTime is the time of the last write that a node has.
func (d *Deployment) operationTime(n *node) bson.Timestamp {
	if d.set == nil || n.behind.Load() == 0 {
		return d.data.clusterTime()
	}
	d.set.mu.Lock()
	defer d.set.mu.Unlock()
	return d.data.sinceBegan(d.set.position(n.index))
}

func (d *data) sinceBegan(now store.Timestamp) bson.Timestamp {
	if t := (bson.Timestamp{T: now.T(), I: now.I()}); t.After(d.began) {
		return t
	}
	return d.began
}

// gossiped is the newest logical time that the deployment has or has heard of.
func (d *data) gossiped() bson.Timestamp {
	now, heard := d.clusterTime(), d.store.Heard()
	if t := (bson.Timestamp{T: heard.T(), I: heard.I()}); t.After(now) {
		return t
	}
	return now
}

// maxDrift is how far ahead of the wall clock a client's logical time may be.
const maxDrift = 365 * 24 * time.Hour

// hear takes over the logical time of a request, so that what is written next is later. One too far in the future would
// leave no room for later ones, and is refused.
func (d *data) hear(r *request) error {
	value := r.field("$clusterTime")
	if value.IsZero() || r.d.config.kind == standalone {
		return nil
	}
	doc, ok := value.DocumentOK()
	if !ok {
		return wrongType("$clusterTime", value, "object")
	}
	said := doc.Lookup("clusterTime")
	t, i, ok := said.TimestampOK()
	switch {
	case said.IsZero():
		return status.Errorf(errcode.NoSuchKey, "Missing expected field \"clusterTime\"")
	case !ok:
		return status.Errorf(errcode.TypeMismatch, "\"clusterTime\" had the wrong type. Expected timestamp, found %s", said.Type)
	}
	if now := r.d.config.now(); time.Unix(int64(t), 0).Sub(now) > maxDrift {
		name := "$clusterTime"
		if !r.d.wireAtLeast("5.0") {
			name = "cluster time"
		}
		return status.Errorf(errcode.ClusterTimeFailsRateLimiter, "New %s, %d, is too far from this node's wall clock time, %d.", name, t, now.Unix())
	}
	d.store.Observe(store.MakeTimestamp(t, i))
	return nil
}

// rollBack drops the writes that came after the last one that a majority acknowledged, and what the sessions remember of
// them. It returns the time of the last write that is left.
func (d *data) rollBack(s *sessions) store.Timestamp {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store.Truncate(d.acked, s.forget)
}

// acknowledge notes a write that a majority has.
func (d *data) acknowledge(at store.Timestamp) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acked = max(d.acked, at)
}
