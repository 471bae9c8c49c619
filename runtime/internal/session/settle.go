package session

import "context"

// callAtEnd makes End call f. It reports false if the cleanup has already ended: then f is never called.
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
	c.mergeTimes()
	return nil
}

// Settle takes over what the cleanups of the session have learned, if they have ended.
func (c *Client) Settle() {
	if c.cleanup != nil && c.cleanup.hasEnded() {
		c.mergeTimes()
	}
}

// mergeTimes takes over the times that ended cleanups have seen, because a session keeps the times of every reply to
// it.
func (c *Client) mergeTimes() {
	for cleanup := c.cleanup; cleanup != nil; cleanup = cleanup.prev {
		c.AdvanceOperationTime(cleanup.copy.operationTime)
		c.clock.Advance(cleanup.copy.clock.ClusterTime())
	}
	c.cleanup = nil
}

// IsFree reports whether no cleanup of the session is going on.
func (c *Client) IsFree() bool { return c.cleanup == nil || c.cleanup.hasEnded() }

// WhenFree calls f once no cleanup of the session is going on: at once, or later on the goroutine that ends the last
// cleanup.
func (c *Client) WhenFree(f func()) {
	if c.cleanup == nil || !c.cleanup.callAtEnd(f) {
		f()
	}
}
