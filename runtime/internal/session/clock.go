package session

import (
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Clock holds the latest cluster time that a client has seen. The zero value has seen none. It is safe for concurrent
// use. Sessions, "Gossipping the cluster time".
type Clock struct {
	latest atomic.Pointer[clusterTime]
}

type clusterTime struct {
	at  bson.Timestamp
	doc bson.Raw // the document with its signature, as the server sent it
}

// ClusterTime is the $clusterTime document to send. It is nil when the clock has seen none.
func (c *Clock) ClusterTime() bson.Raw {
	if t := c.latest.Load(); t != nil {
		return t.doc
	}
	return nil
}

// LaterClusterTime returns the later document of two clocks. It is nil if neither clock has seen one.
func (c *Clock) LaterClusterTime(other *Clock) bson.Raw {
	mine, theirs := c.latest.Load(), other.latest.Load()
	switch {
	case mine == nil && theirs == nil:
		return nil
	case mine == nil || theirs != nil && theirs.at.After(mine.at):
		return theirs.doc
	}
	return mine.doc
}

// Advance keeps a copy of a $clusterTime document if its time is later. It reports false for a document that is too
// large to keep: every later command would carry it (departures.yaml, large-cluster-times).
func (c *Clock) Advance(doc bson.Raw) bool {
	if len(doc) > txn.MaxClusterTimeSize {
		return false
	}
	t, i, ok := doc.Lookup(wire.FieldClusterTimeTime).TimestampOK()
	if !ok {
		return true
	}
	at := bson.Timestamp{T: t, I: i}
	var next *clusterTime
	for {
		have := c.latest.Load()
		if have != nil && !at.After(have.at) {
			return true
		}
		if next == nil {
			next = &clusterTime{at: at, doc: append(bson.Raw(nil), doc...)}
		}
		if c.latest.CompareAndSwap(have, next) {
			return true
		}
	}
}
