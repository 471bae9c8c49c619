package session

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
)

// NewImplicit makes a session for one operation. Its memory is part of the server session, which only one operation
// uses at a time.
func NewImplicit(server *Server) *Client {
	c := &server.operation
	c.server, c.kind, c.operationTime = server, operation.ImplicitSession, bson.Timestamp{}
	c.clock.latest.Store(nil)
	c.cleanup = nil
	return c
}

// NewExplicit makes a session for a program. snapshotTime is the point in time that the reads of a snapshot session
// see; with the zero value, the first read chooses it.
func NewExplicit(server *Server, kind operation.SessionKind, snapshotTime bson.Timestamp) *Client {
	return &Client{server: server, kind: kind, snapshotTime: snapshotTime}
}

// Server is the server session that commands use.
func (c *Client) Server() *Server { return c.server }

// IsImplicit reports whether the driver made the session itself, for one operation.
func (c *Client) IsImplicit() bool { return c.kind == operation.ImplicitSession }

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

// Kind tells who made the session, and what its reads see.
func (c *Client) Kind() operation.SessionKind { return c.kind }

// Snapshot reports whether all reads of the session see the same point in time.
func (c *Client) Snapshot() bool { return c.kind == operation.SnapshotSession }

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
func (c *Client) SetDeadline(at time.Time) {
	c.limit, c.deadline = timeout.SessionLimited, at
	if at.IsZero() {
		c.limit = timeout.SessionEndless
	}
}

// ClearDeadline removes the deadline that SetDeadline set.
func (c *Client) ClearDeadline() { c.limit, c.deadline = timeout.NoSessionTime, time.Time{} }

// Limit reports whether SetDeadline has set a limit. A nil session has none.
func (c *Client) Limit() timeout.SessionTime {
	if c == nil {
		return timeout.NoSessionTime
	}
	return c.limit
}

// Deadline is the time that SetDeadline set.
func (c *Client) Deadline() time.Time { return c.deadline }
