package interop

import (
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/tools/mongotest"
)

// A client that polls its servers only every ten minutes learns of changes at once, because servers push them.
const heartbeat = 10 * time.Minute

// watcher keeps what a client's monitors report.
type watcher struct {
	mu                      sync.Mutex
	changed                 chan struct{} // replaced at every event
	awaitedStarted, awaited map[string]int
	polled, failed          int
	kinds                   map[string]string // of the servers by address
	topology                string
	primaries               []string // in the order in which they were seen
}

func newWatcher() *watcher {
	return &watcher{changed: make(chan struct{}), awaitedStarted: map[string]int{}, awaited: map[string]int{}, kinds: map[string]string{}}
}

func (w *watcher) note(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *watcher) monitor() *event.ServerMonitor {
	return &event.ServerMonitor{
		ServerHeartbeatStarted: func(e *event.ServerHeartbeatStartedEvent) {
			w.note(func() {
				if e.Awaited {
					w.awaitedStarted[e.ConnectionID]++
				}
			})
		},
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceededEvent) {
			w.note(func() {
				if e.Awaited {
					w.awaited[e.ConnectionID]++
				} else {
					w.polled++
				}
			})
		},
		ServerHeartbeatFailed: func(*event.ServerHeartbeatFailedEvent) { w.note(func() { w.failed++ }) },
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChangedEvent) {
			w.note(func() {
				w.topology = e.NewDescription.Kind
				clear(w.kinds)
				for _, s := range e.NewDescription.Servers {
					w.kinds[string(s.Addr)] = s.Kind
					if s.Kind == "RSPrimary" && (len(w.primaries) == 0 || w.primaries[len(w.primaries)-1] != string(s.Addr)) {
						w.primaries = append(w.primaries, string(s.Addr))
					}
				}
			})
		},
	}
}

// waitUntil waits until the monitors' reports meet a condition, and returns how long that took.
func (w *watcher) waitUntil(t *testing.T, what string, so func() bool) time.Duration {
	t.Helper()
	started := time.Now()
	limit := time.After(time.Minute)
	for {
		w.mu.Lock()
		done, changed := so(), w.changed
		w.mu.Unlock()
		if done {
			return time.Since(started)
		}
		select {
		case <-changed:
		case <-limit:
			w.mu.Lock()
			defer w.mu.Unlock()
			t.Fatalf("%s was not seen: topology %s, servers %v, awaited heartbeats %v begun and %v succeeded, %d polled, %d failed", what, w.topology, w.kinds, w.awaitedStarted, w.awaited, w.polled, w.failed)
		}
	}
}

func watch(t *testing.T, d *mongotest.Deployment, w *watcher) *mongo.Client {
	t.Helper()
	return connectOfficial(t, d, func(o *options.ClientOptions) { o.SetServerMonitor(w.monitor()).SetHeartbeatInterval(heartbeat) })
}

// The driver streams hellos, and learns of a step-down, a dead router or a restarted server long before its next poll.
// It does not monitor a load balancer.
func testMonitoring(t *testing.T, p *place) {
	w := newWatcher()
	client := watch(t, p.d, w)
	c := client.Database("monitoring").Collection("c")
	must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"x": 1}))
	if p.shape == "loadbalanced" {
		w.waitUntil(t, "a load balancer", func() bool { return w.kinds[p.d.Hosts()[0]] == "LoadBalancer" })
		if len(w.awaitedStarted)+w.polled+w.failed != 0 {
			t.Errorf("the driver monitors: %v, %d, %d", w.awaitedStarted, w.polled, w.failed)
		}
		return
	}
	w.waitUntil(t, "a stream to each server", func() bool { return len(w.awaitedStarted) == len(p.d.Hosts()) })
	if p.isSet() {
		followStepDowns(t, p.d, w, c)
		return
	}
	// The stream breaks with the server, and the driver finds it again when it is back.
	address := p.d.Hosts()[0]
	before := w.kinds[address]
	p.d.Kill(0)
	if took := w.waitUntil(t, "a dead server", func() bool { return w.kinds[address] == "Unknown" }); took > heartbeat/30 {
		t.Errorf("the driver saw after %s that the server is dead", took)
	}
	if err := p.d.Restart(0); err != nil {
		t.Fatal(err)
	}
	must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"x": 2}))
	w.waitUntil(t, "the restarted server", func() bool { return w.kinds[address] == before })
}

func followStepDowns(t *testing.T, d *mongotest.Deployment, w *watcher, c *mongo.Collection) {
	for i := range 4 {
		w.mu.Lock()
		seen := len(w.primaries)
		w.mu.Unlock()
		d.StepDown()
		if took := w.waitUntil(t, "the new primary", func() bool { return len(w.primaries) > seen }); took > heartbeat/30 {
			t.Errorf("the driver saw the new primary %s after its election", took)
		}
		if want := d.Hosts()[d.Primary()]; w.primaries[len(w.primaries)-1] != want {
			t.Errorf("the driver takes %s for the primary, which is %s", w.primaries[len(w.primaries)-1], want)
		}
		must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"_id": i}))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.awaited) != len(d.Hosts()) || w.failed != 0 {
		t.Errorf("awaited heartbeats succeeded: %v; failed: %d", w.awaited, w.failed)
	}
}

// Without streaming no heartbeat is awaited, and the driver finds the new primary through the error of an operation.
func TestOfficialDriverPolls(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	w := newWatcher()
	client := connectOfficial(t, d, func(o *options.ClientOptions) {
		o.SetServerMonitor(w.monitor()).SetHeartbeatInterval(heartbeat).SetServerMonitoringMode("poll")
	})
	c := client.Database("monitoring").Collection("c")
	for i := range 3 {
		must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"_id": i}))
		d.StepDown()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.awaitedStarted) != 0 {
		t.Errorf("awaited heartbeats: %v", w.awaitedStarted)
	}
}
