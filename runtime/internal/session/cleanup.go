package session

import (
	"context"
	"sync"

	"github.com/specdrivers/onion/generated/core/txn"
)

// Cleanup is a command in a session that may go on behind the call that sent it: killCursors, or the abort of a transaction. It
// has a copy of the session, so that the program can go on with its own. The next command of the session waits until it ends,
// and the server session is not pooled before.
type Cleanup struct {
	of   *Client
	copy *Client
	prev *Cleanup // of the same session; nil when it had ended

	mu    sync.Mutex
	ended bool
	then  []func()
	done  chan struct{}
}

// BeginKill begins a cleanup that is part of the session's transaction, if one is in progress, and leaves it as it is.
func (c *Client) BeginKill() *Cleanup {
	cleanup := c.beginCleanup()
	if c.txn.State == txn.InProgress {
		cleanup.copy.txn = c.txn
		cleanup.copy.borrowed = true
		cleanup.copy.hasDeadline, cleanup.copy.deadline = c.hasDeadline, c.deadline
	}
	return cleanup
}

// BeginAbort begins a cleanup that aborts the transaction. It takes the pin: the session has none from now on. The abort does
// not keep to a deadline of the session.
func (c *Client) BeginAbort() *Cleanup {
	cleanup := c.beginCleanup()
	cleanup.copy.txn = c.txn
	c.txn.server, c.txn.conn = nil, nil
	return cleanup
}

func (c *Client) beginCleanup() *Cleanup {
	prev := c.cleanup
	if prev != nil && prev.hasEnded() {
		c.absorb()
		prev = nil
	}
	s := &Client{
		server: c.server.copy(), implicit: c.implicit, causal: c.causal, snapshot: c.snapshot, snapshotTime: c.snapshotTime,
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

// End gives back what the cleanup took, as soon as earlier cleanups of the session have ended: they may use the same connection.
// Commands of the session that wait for it go on then.
func (c *Cleanup) End() {
	if c.prev == nil || !c.prev.later(c.end) {
		c.end()
	}
}

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

// later has End call f, and reports false if that is over.
func (c *Cleanup) later(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.then = append(c.then, f)
	}
	return !c.ended
}

func (c *Cleanup) hasEnded() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *Cleanup) await(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Await waits until the cleanups of the session have ended, or ctx has.
func (c *Client) Await(ctx context.Context) error {
	if c.cleanup == nil {
		return nil
	}
	if err := c.cleanup.await(ctx); err != nil {
		return err
	}
	c.absorb()
	return nil
}

// Settle takes over what the cleanups of the session have learned, if they have ended.
func (c *Client) Settle() {
	if c.cleanup != nil && c.cleanup.hasEnded() {
		c.absorb()
	}
}

// absorb takes over the times that ended cleanups saw. Sessions keep those of every reply.
func (c *Client) absorb() {
	for cleanup := c.cleanup; cleanup != nil; cleanup = cleanup.prev {
		c.AdvanceOperationTime(cleanup.copy.operationTime)
		c.clock.Advance(cleanup.copy.clock.Now())
	}
	c.cleanup = nil
}

// Free reports whether no cleanup of the session is going on.
func (c *Client) Free() bool { return c.cleanup == nil || c.cleanup.hasEnded() }

// WhenFree calls f as soon as no cleanup of the session is going on: now, or on another goroutine.
func (c *Client) WhenFree(f func()) {
	if c.cleanup == nil || !c.cleanup.later(f) {
		f()
	}
}
