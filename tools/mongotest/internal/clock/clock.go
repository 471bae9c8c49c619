package clock

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Clock is the logical clock of a deployment. Its methods are safe for concurrent use.
type Clock struct {
	store *store.Store
	now   func() time.Time
	began bson.Timestamp // the cluster time before the first write

	mu           sync.Mutex
	acknowledged store.Timestamp // the last write that a majority has acknowledged
}

// New starts the clock of a store.
func New(s *store.Store, now func() time.Time) *Clock {
	return &Clock{store: s, now: now, began: bson.Timestamp{T: uint32(now().Unix()), I: 1}}
}

// StartTime returns the time at which the deployment started.
func (c *Clock) StartTime() time.Time { return time.Unix(int64(c.began.T), 0) }

// ClusterTime returns the time of the last write. Only RollBack moves it back.
func (c *Clock) ClusterTime() bson.Timestamp { return c.NotBeforeStart(c.store.Latest().Time()) }

// NotBeforeStart returns the time of a write or of the deployment's start, whichever is later.
func (c *Clock) NotBeforeStart(at store.Timestamp) bson.Timestamp {
	if t := (bson.Timestamp{T: at.T(), I: at.I()}); t.After(c.began) {
		return t
	}
	return c.began
}

// GossipedTime returns the newest cluster time that the deployment has reached or received.
func (c *Clock) GossipedTime() bson.Timestamp {
	now, received := c.ClusterTime(), c.store.LatestHeard()
	if t := (bson.Timestamp{T: received.T(), I: received.I()}); t.After(now) {
		return t
	}
	return now
}

// maxDrift is how far ahead of the wall clock a client's cluster time may be.
const maxDrift = 365 * 24 * time.Hour

// Advance adopts the $clusterTime of a command, so the next write is later. It refuses a time too far in the
// future, which would leave no room for later ones.
func (c *Clock) Advance(value bson.RawValue, version int32) error {
	doc, ok := value.DocumentOK()
	if !ok {
		return status.WrongType("$clusterTime", value, "object")
	}
	sent := doc.Lookup("clusterTime")
	t, i, ok := sent.TimestampOK()
	switch {
	case sent.IsZero():
		return status.Errorf(errcode.NoSuchKey, "Missing expected field \"clusterTime\"")
	case !ok:
		return status.Errorf(errcode.TypeMismatch, "\"clusterTime\" had the wrong type. Expected timestamp, found %s", sent.Type)
	}
	if now := c.now(); time.Unix(int64(t), 0).Sub(now) > maxDrift {
		name := "$clusterTime"
		if version < wire.Server50 {
			name = "cluster time"
		}
		return status.Errorf(errcode.ClusterTimeFailsRateLimiter,
			"New %s, %d, is too far from this node's wall clock time, %d.", name, t, now.Unix())
	}
	c.store.Observe(store.MakeTimestamp(t, i))
	return nil
}

// At returns the state at a time, or the oldest state still kept.
func (c *Clock) At(at store.Timestamp) *store.Snapshot {
	snapshot, err := c.store.At(at)
	if err != nil {
		return c.store.Oldest()
	}
	return snapshot
}

// Acknowledge records that a majority has the writes up to a time.
func (c *Clock) Acknowledge(at store.Timestamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acknowledged = max(c.acknowledged, at)
}

// RollBack drops the writes after the last one that a majority acknowledged, and returns the time of the last remaining
// write. It calls forget with that time while no write can run.
func (c *Clock) RollBack(forget func(after store.Timestamp)) store.Timestamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.Truncate(c.acknowledged, forget)
}
