package unified

import (
	"errors"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// AssertCollectionExists asserts that a collection is there.
func (r *Run) AssertCollectionExists(database, collection string) {
	r.t.Helper()
	if !r.hasCollection(database, collection) {
		r.failf("there is no collection %s.%s", database, collection)
	}
}

// AssertCollectionNotExists asserts that a collection is not there.
func (r *Run) AssertCollectionNotExists(database, collection string) {
	r.t.Helper()
	if r.hasCollection(database, collection) {
		r.failf("there is a collection %s.%s", database, collection)
	}
}

func (r *Run) hasCollection(database, collection string) bool {
	names, err := r.internal.Database(database).ListCollectionNames(r.ctx, bson.D{})
	r.must(err, "list collections")
	return slices.Contains(names, collection)
}

// AssertIndexExists asserts that an index is there.
func (r *Run) AssertIndexExists(database, collection, index string) {
	r.t.Helper()
	if !r.hasIndex(database, collection, index) {
		r.failf("%s.%s has no index %s", database, collection, index)
	}
}

// AssertIndexNotExists asserts that an index is not there.
func (r *Run) AssertIndexNotExists(database, collection, index string) {
	r.t.Helper()
	if r.hasIndex(database, collection, index) {
		r.failf("%s.%s has the index %s", database, collection, index)
	}
}

func (r *Run) hasIndex(database, collection, index string) bool {
	names, err := r.internal.Database(database).Collection(collection).ListIndexNames(r.ctx)
	if mongo.IsNamespaceNotFound(err) {
		return false
	}
	r.must(err, "list indexes")
	return slices.Contains(names, index)
}

// AssertNumberConnectionsCheckedOut asserts how many connections are checked out.
func (c *Client) AssertNumberConnectionsCheckedOut(want int) {
	c.run.t.Helper()
	if n := c.checkedOut.Load(); n != int64(want) {
		c.run.failf("%d connections are checked out, want %d", n, want)
	}
}

// AssertSameLsidOnLastTwoCommands asserts that the last two commands had the same session.
func (c *Client) AssertSameLsidOnLastTwoCommands() {
	c.run.t.Helper()
	if a, b := c.lastLsids(); !a.Equal(b) {
		c.run.failf("the last two commands had the sessions %s and %s", a, b)
	}
}

// AssertDifferentLsidOnLastTwoCommands asserts that the last two commands had different sessions.
func (c *Client) AssertDifferentLsidOnLastTwoCommands() {
	c.run.t.Helper()
	if a, b := c.lastLsids(); a.Equal(b) {
		c.run.failf("the last two commands had the same session %s", a)
	}
}

func (c *Client) lastLsids() (a, b bson.RawValue) {
	c.run.t.Helper()
	var commands []bson.Raw
	for _, e := range c.observedEvents() {
		if e.Kind == CommandStarted {
			commands = append(commands, e.Command.(bson.Raw))
		}
	}
	if len(commands) < 2 {
		c.run.failf("%d commands were seen, want two", len(commands))
	}
	last := commands[len(commands)-2:]
	a, b = last[0].Lookup("lsid"), last[1].Lookup("lsid")
	if a.IsZero() || b.IsZero() {
		c.run.failf("the last two commands had the sessions %s and %s", textOf(a), textOf(b))
	}
	return a, b
}

// Topology is what a client knew about its deployment at some moment.
type Topology struct {
	run  *Run
	seen mongo.TopologyDescription
}

// RecordTopologyDescription records what the client knows about its deployment.
func (c *Client) RecordTopologyDescription() *Topology {
	return &Topology{run: c.run, seen: c.client.TopologyDescription()}
}

// AssertTopologyType asserts the type of a topology.
func (t *Topology) AssertTopologyType(want description.TopologyType) {
	t.run.t.Helper()
	if t.seen.Type != want {
		t.run.failf("the topology is %s, want %s", t.seen.Type, want)
	}
}

func primary(t mongo.TopologyDescription) string {
	for _, s := range t.Servers {
		if s.Type == description.RSPrimary {
			return s.Address
		}
	}
	return ""
}

// WaitForPrimaryChange waits until the client knows another primary than it did.
func (c *Client) WaitForPrimaryChange(prior *Topology, timeout time.Duration) {
	c.run.t.Helper()
	if timeout == 0 {
		timeout = eventPatience
	}
	before := primary(prior.seen)
	changed := func() bool {
		now := primary(c.client.TopologyDescription())
		return now != "" && now != before
	}
	if !c.await(timeout, changed) {
		c.run.failf("after %v the primary is still %q", timeout, before)
	}
}

// awaitMinPoolSize waits until the pools of all data-bearing servers are filled, and starts listening then. Unified Test
// Format, "awaitMinPoolSizeMS".
func (c *Client) awaitMinPoolSize() {
	if c.options.AwaitMinPoolSize == 0 {
		return
	}
	c.run.t.Helper()
	want := 0
	if v, ok := lookupFold(c.options.URI, "minPoolSize"); ok {
		n, _ := raw(v).AsInt64OK()
		want = int(n)
	}
	filled := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		servers := 0
		for _, s := range c.client.TopologyDescription().Servers {
			if !s.Type.IsDataBearing() {
				if s.Type == description.ServerUnknown {
					return false
				}
				continue
			}
			servers++
			if c.minReady[s.Address] < want {
				return false
			}
		}
		return servers > 0
	}
	if want > 0 && !c.await(c.options.AwaitMinPoolSize, filled) {
		c.run.failf("the pools were not filled after %v", c.options.AwaitMinPoolSize)
	}
	c.mu.Lock()
	c.deaf, c.events = false, nil
	c.mu.Unlock()
}

// FailPoint sets a fail point on the server that the client would write to.
func (c *Client) FailPoint(point bson.D) {
	c.run.t.Helper()
	err := c.client.Database("admin").RunCommand(c.run.ctx, point, &options.RunCommand{
		ReadPreference: &options.ReadPreference{Mode: options.Primary},
	}).Err()
	c.run.must(err, "set the fail point")
	c.failPoints = append(c.failPoints, &failPoint{client: c.client, point: point})
}

// failPoint is one to turn off at the end.
type failPoint struct {
	client *mongo.Client
	owned  bool // the client was made for it
	point  bson.D
}

var errNoName = errors.New("the fail point has no name")
