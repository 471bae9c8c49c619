package mongo

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Close waits until the operations in flight have ended, and the cleanups of calls whose context has ended, or until
// ctx ends. Then it ends the sessions on the server, closes every connection and stops every goroutine of the client.
// New operations fail with ErrClientClosed as soon as Close is called. Those still in flight when ctx ends fail with it
// then. Closing twice is harmless: the second time returns ErrClientClosed.
func (c *Client) Close(ctx context.Context) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if c.closed.Swap(true) {
		return ErrClientClosed
	}
	c.exec.Wait(ctx)
	ending, cancel := context.WithTimeout(ctx, endSessionsTimeout)
	c.endSessions(ending)
	cancel()
	err := c.topology.Close(ctx)
	if c.encryption != nil {
		err = errors.Join(err, c.encryption.close(ctx))
	}
	if logErr := c.log.Close(); err == nil {
		err = logErr
	}
	return err
}

// endSessionsTimeout bounds endSessions, so that a client closes even if all its connections are in use.
const endSessionsTimeout = 2 * time.Second

// endSessions tells a server that the pooled sessions are no longer needed. It is a courtesy. Errors do not matter,
// because the server forgets idle sessions anyway.
func (c *Client) endSessions(ctx context.Context) {
	ids := c.sessions.Drain()
	if len(ids) == 0 || !c.topology.HasReachableServer() {
		return
	}
	rp := &options.ReadPreference{Mode: options.PrimaryPreferred}
	for len(ids) > 0 {
		n := min(len(ids), txn.EndSessionsBatch)
		op := &exec.Operation{Command: &command.EndSessions{Sessions: ids[:n]}, DB: "admin", ReadPreference: rp, Implicit: exec.NoSession}
		if _, err := c.exec.Run(ctx, op); err != nil {
			return
		}
		ids = ids[n:]
	}
}
