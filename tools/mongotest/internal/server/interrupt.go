package server

import (
	"context"
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
)

// endedError is the error of a request whose context is over.
func (r *request) endedError(ctx context.Context) error {
	if r.conn.ctx.Err() != nil {
		return call.ErrDrop
	}
	return interruptedError(ctx)
}

// sleeper waits on behalf of a fail point until the time is over, the operation is killed, its maxTimeMS has passed, or the
// connection is closed.
func (r *request) sleeper(ctx context.Context) func(time.Duration) error {
	return func(d time.Duration) error {
		ctx, cancel := r.timeLimit(ctx)
		defer cancel()
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
			<-ctx.Done() // however late this goroutine looks, the limit comes first
			return r.endedError(ctx)
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return r.endedError(ctx)
		}
	}
}

// interruptedError is the error of an operation killed before it did anything.
func interruptedError(ctx context.Context) error {
	return interrupt.Of(ctx)
}
