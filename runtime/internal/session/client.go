package session

import (
	"time"

	"github.com/specdrivers/onion/bson"
)

// Config holds the options of an explicit session.
type Config struct {
	Causal       bool
	Snapshot     bool
	SnapshotTime bson.Timestamp // the zero value leaves the choice to the first read
}

// NewImplicit makes a session for one operation. Its memory is part of the server session, which only one operation
// uses at a time.
func NewImplicit(server *Server) *Client {
	c := &server.operation
	c.server, c.implicit, c.operationTime = server, true, bson.Timestamp{}
	c.clock.latest.Store(nil)
	c.cleanup = nil
	return c
}

// NewExplicit makes a session for a program.
func NewExplicit(server *Server, cfg Config) *Client {
	return &Client{server: server, causal: cfg.Causal, snapshot: cfg.Snapshot, snapshotTime: cfg.SnapshotTime}
}

// Server is the server session that commands use.
func (c *Client) Server() *Server { return c.server }

// Implicit reports whether the driver made the session itself, for one operation.
func (c *Client) Implicit() bool { return c.implicit }

// End marks an explicit session as ended. It reports whether the session was still open.
func (c *Client) End() bool { return !c.ended.Swap(true) }

// EndSpan ends the span of the transaction, if there is one.
func (c *Client) EndSpan(err error) {
	if c.Span != nil {
		c.Span.End(err)
		c.Span = nil
	}
}

// Ended reports whether the program has ended the session.
func (c *Client) Ended() bool { return c.ended.Load() }

// Clock is the cluster time that the session has seen.
func (c *Client) Clock() *Clock { return &c.clock }

// OperationTime is the operationTime of the last reply in the session. It is the zero value when there was none.
func (c *Client) OperationTime() bson.Timestamp { return c.operationTime }

// AdvanceOperationTime keeps a reply's operationTime if it is later than the current one.
func (c *Client) AdvanceOperationTime(t bson.Timestamp) {
	if t.After(c.operationTime) {
		c.operationTime = t
	}
}

// Causal reports whether reads of the session see what it has seen before.
func (c *Client) Causal() bool { return c.causal }

// Snapshot reports whether all reads of the session see the same point in time.
func (c *Client) Snapshot() bool { return c.snapshot }

// SnapshotTime is the point in time that all reads see. It is the zero value until the first read has chosen it.
func (c *Client) SnapshotTime() bson.Timestamp { return c.snapshotTime }

// SetSnapshotTime stores the atClusterTime of the first read.
func (c *Client) SetSnapshotTime(t bson.Timestamp) {
	if c.snapshotTime == (bson.Timestamp{}) {
		c.snapshotTime = t
	}
}

// Transaction is the session's transaction, or the state that the last one left.
func (c *Client) Transaction() *Transaction { return &c.txn }

// SetDeadline applies the timeout of a withTransaction to its operations. The zero time means no limit.
//
// Client Side Operations Timeout, "Convenient Transactions API".
func (c *Client) SetDeadline(at time.Time) { c.hasDeadline, c.deadline = true, at }

// ClearDeadline removes the deadline that SetDeadline set.
func (c *Client) ClearDeadline() { c.hasDeadline, c.deadline = false, time.Time{} }

// HasDeadline reports whether there is a session and a deadline from SetDeadline is set.
func (c *Client) HasDeadline() bool { return c != nil && c.hasDeadline }

// Deadline is the time that SetDeadline set.
func (c *Client) Deadline() time.Time { return c.deadline }
