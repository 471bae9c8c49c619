package session

import (
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// Client is a session in use. An implicit one lives for one operation and the cursor that it made; an explicit one
// belongs to the program. It is used by one goroutine at a time.
type Client struct {
	server   *Server
	implicit bool
	ended    atomic.Bool

	causal       bool
	snapshot     bool
	snapshotTime bson.Timestamp

	clock         Clock
	operationTime bson.Timestamp

	// Span is the span of the transaction, nil when it has none.
	Span options.Span

	txn         Transaction
	hasDeadline bool      // withTransaction is running under timeoutMS
	deadline    time.Time // of that withTransaction; zero when it has no limit
}

// Config says what an explicit session does beyond grouping commands.
type Config struct {
	Causal       bool
	Snapshot     bool
	SnapshotTime bson.Timestamp // the zero value lets the first read choose it
}

// NewImplicit makes a session for one operation. It lies in the server session, which only one operation has at a time.
func NewImplicit(server *Server) *Client {
	c := &server.operation
	c.server, c.implicit, c.operationTime = server, true, bson.Timestamp{}
	c.clock.latest.Store(nil)
	return c
}

// NewExplicit makes a session for a program.
func NewExplicit(server *Server, cfg Config) *Client {
	return &Client{server: server, causal: cfg.Causal, snapshot: cfg.Snapshot, snapshotTime: cfg.SnapshotTime}
}

// Server is the server session that commands carry.
func (c *Client) Server() *Server { return c.server }

// Implicit reports whether the driver made the session for an operation of its own accord.
func (c *Client) Implicit() bool { return c.implicit }

// End marks an explicit session as ended and reports whether it was not ended before.
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

// OperationTime is the operationTime of the last reply in the session; the zero value when there was none.
func (c *Client) OperationTime() bson.Timestamp { return c.operationTime }

// AdvanceOperationTime takes a reply's operationTime over if it is later.
func (c *Client) AdvanceOperationTime(t bson.Timestamp) {
	if t.After(c.operationTime) {
		c.operationTime = t
	}
}

// After is the time that a read has to see, the zero value when any will do.
//
// Causal Consistency, "ReadConcern changes".
func (c *Client) After() bson.Timestamp {
	if c.causal {
		return c.operationTime
	}
	return bson.Timestamp{}
}

// Snapshot reports whether all reads of the session see one point in time.
func (c *Client) Snapshot() bool { return c.snapshot }

// SnapshotTime is that point in time; the zero value while no read has chosen it.
func (c *Client) SnapshotTime() bson.Timestamp { return c.snapshotTime }

// SetSnapshotTime notes the atClusterTime of the first read.
func (c *Client) SetSnapshotTime(t bson.Timestamp) {
	if c.snapshotTime == (bson.Timestamp{}) {
		c.snapshotTime = t
	}
}

// Transaction is the transaction of the session, or what the last one has left.
func (c *Client) Transaction() *Transaction { return &c.txn }

// SetDeadline makes the timeout of a withTransaction the timeout of its operations. The zero time is no limit.
//
// Client Side Operations Timeout, "Convenient Transactions API".
func (c *Client) SetDeadline(at time.Time) { c.hasDeadline, c.deadline = true, at }

// ClearDeadline ends that.
func (c *Client) ClearDeadline() { c.hasDeadline, c.deadline = false, time.Time{} }

// HasDeadline reports whether SetDeadline is in force.
func (c *Client) HasDeadline() bool { return c.hasDeadline }

// Deadline is the time that SetDeadline gave.
func (c *Client) Deadline() time.Time { return c.deadline }
