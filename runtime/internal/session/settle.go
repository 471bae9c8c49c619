package session

import "context"

// callAtEnd keeps f for End to call. It reports false when the cleanup has ended already: then f is never called.
func (c *Cleanup) callAtEnd(f func()) bool {
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

// absorb takes over the times that ended cleanups saw, because the session keeps the times of every reply, whoever read it.
func (c *Client) absorb() {
	for cleanup := c.cleanup; cleanup != nil; cleanup = cleanup.prev {
		c.AdvanceOperationTime(cleanup.copy.operationTime)
		c.clock.Advance(cleanup.copy.clock.ClusterTime())
	}
	c.cleanup = nil
}

// IsFree reports whether no cleanup of the session is going on.
func (c *Client) IsFree() bool { return c.cleanup == nil || c.cleanup.hasEnded() }

// WhenFree calls f as soon as no cleanup of the session is going on: now, or on another goroutine.
func (c *Client) WhenFree(f func()) {
	if c.cleanup == nil || !c.cleanup.callAtEnd(f) {
		f()
	}
}
