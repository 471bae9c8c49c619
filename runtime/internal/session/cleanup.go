package session

import (
	"context"

	"github.com/specdrivers/onion/generated/core/txn"
)

// BeginKill begins the cleanup of a killCursors. It is part of the session's transaction if one is in progress, which
// keeps its pin.
func (c *Client) BeginKill() *Cleanup {
	cleanup := c.beginCleanup()
	if c.txn.State == txn.InProgress {
		cleanup.copy.txn = c.txn
		cleanup.copy.borrowed = true
		cleanup.copy.limit, cleanup.copy.deadline = c.limit, c.deadline
	}
	return cleanup
}

// BeginAbort begins the cleanup that aborts the transaction. It takes over the pin, which the session then no longer
// has. The session's deadline does not bound the abort.
func (c *Client) BeginAbort() *Cleanup {
	cleanup := c.beginCleanup()
	cleanup.copy.txn = c.txn
	c.txn.server, c.txn.conn = nil, nil
	return cleanup
}

func (c *Client) beginCleanup() *Cleanup {
	prev := c.cleanup
	if prev != nil && prev.hasEnded() {
		c.mergeTimes()
		prev = nil
	}
	s := &Client{
		server: c.server.clone(), kind: c.kind, snapshotTime: c.snapshotTime,
		operationTime: c.operationTime, Span: c.Span,
	}
	s.clock.latest.Store(c.clock.latest.Load())
	c.cleanup = &Cleanup{of: c, copy: s, prev: prev, done: make(chan struct{})}
	return c.cleanup
}

// Session is the copy of the session that the cleanup's command uses.
func (c *Cleanup) Session() *Client { return c.copy }

// AwaitPrevious waits until earlier cleanups of the session have ended, or ctx has.
func (c *Cleanup) AwaitPrevious(ctx context.Context) error {
	if c.prev == nil {
		return nil
	}
	return c.prev.await(ctx)
}

// End gives back what the cleanup took over, and then lets the waiting commands of the session go on. It does so once
// earlier cleanups of the session have ended, because they may use the same connection.
func (c *Cleanup) End() {
	if c.prev == nil || !c.prev.callAtEnd(c.end) {
		c.end()
	}
}

// end runs once all earlier cleanups have ended. It merges the copy into the session before it closes done, so that a
// command that waited sees what the cleanup learned.
func (c *Cleanup) end() {
	c.copy.Unpin()
	c.of.server.learn(c.copy.server)
	c.mu.Lock()
	c.ended = true
	then := c.then
	c.mu.Unlock()
	for _, f := range then {
		f()
	}
	close(c.done)
}
