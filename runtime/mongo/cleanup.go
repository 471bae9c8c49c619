package mongo

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// cleanup is a command that may still run after its call has returned: it kills a cursor, aborts a transaction, or
// deletes the chunks of an upload.
type cleanup struct {
	// run sends the command. It bounds ctx, which never ends by itself. again says that a first run sent nothing.
	run func(ctx context.Context, again bool) (reached bool, err error)
	// bound says what ends the command while the call waits for it.
	bound timeout.Bound
	// release gives back the resources that the command uses.
	release func()
}

// sharesDeadline reports whether the deadline of the call's context ends the command, too.
func (job *cleanup) sharesDeadline() bool {
	return job.bound == timeout.UntilCall || job.bound == timeout.ShortWithinCall
}

// cleaningKey is the context key of a cleanup: its commands are sent while Close waits for them.
type cleaningKey struct{}

// cleanUp runs a cleanup and waits for it while ctx lasts. When ctx ends, or has ended before, cleanUp returns without
// an error and the cleanup goes on in the background, for another timeoutMS, or for killTimeout without one. Close
// waits for it.
func (c *Client) cleanUp(ctx context.Context, job *cleanup) error {
	counted := c.exec.BeginCleanup() // before the check: either Close waits for it, or the check notices Close
	if c.closed.Load() {
		job.release()
		counted.End()
		return fault.ErrClientClosed
	}
	base, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), cleaningKey{}, true))
	if ctx.Done() == nil {
		defer cancel()
		return job.perform(ctx, base, counted, nil)
	}
	finished := make(chan error, 2)
	go func() {
		defer close(finished)
		defer cancel()
		finished <- job.perform(ctx, base, counted, finished)
	}()
	if !exec.Expired(ctx) {
		select {
		case err := <-finished:
			return err
		case <-ctx.Done():
			if job.sharesDeadline() && !fault.IsCanceled(ctx.Err()) {
				return <-finished // the command ends with ctx
			}
		}
	}
	counted.Leave()
	if job.bound == timeout.ContextAlone {
		time.AfterFunc(killTimeout, cancel)
	}
	return nil
}

// perform runs the cleanup. If ctx ended before the command was sent, the command is sent in the background.
func (job *cleanup) perform(ctx, base context.Context, counted *exec.Cleanup, finished chan<- error) error {
	defer counted.End()
	defer job.release()
	reached, err := job.run(base, false)
	if job.sharesDeadline() && !reached && (exec.Expired(ctx) || errors.Is(err, exec.ErrNotSent)) {
		counted.Leave()
		finished <- nil
		_, err = job.run(base, true)
	}
	return err
}

// isCleaning reports whether a context belongs to a cleanup.
func isCleaning(ctx context.Context) bool { return ctx.Value(cleaningKey{}) != nil }
