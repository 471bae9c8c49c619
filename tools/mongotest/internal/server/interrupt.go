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

// tick is how much later than its time an operation ends: a server looks at a clock that moves once a millisecond. A client that
// counts down the same time over a network without a delay gives up first.
const tick = time.Millisecond

// sleeper waits on behalf of a fail point until the time is over, the operation is killed, its maxTimeMS has passed, or the
// connection is closed.
func (r *request) sleeper(ctx context.Context) func(time.Duration) error {
	return func(d time.Duration) error {
		ctx, cancel := r.timeLimit(ctx)
		defer cancel()
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
			<-ctx.Done() // however late this goroutine looks, the limit comes first
			time.Sleep(tick)
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

// timeLimit bounds a command by its maxTimeMS. In a getMore that field limits the wait for data. The engine handles that,
// and what is left of the limit of the command that opened the cursor.
func (r *request) timeLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	ms, ok := r.Field("maxTimeMS").AsInt64OK()
	if !ok && r.command.access == reads {
		ms = r.cluster.clusterParameters.defaultMaxTime()
		ok = ms > 0
	}
	if !ok || ms <= 0 || r.Name == "getMore" {
		return ctx, func() {}
	}
	return r.limit(ctx, time.Duration(ms)*time.Millisecond)
}

// limit bounds a command's time, unless a fail point decides that it is over or never is.
func (r *request) limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	switch {
	case r.node.failPoints.TimesOut():
		return context.WithTimeout(ctx, 0)
	case r.node.failPoints.NeverTimesOut():
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// interruptedError is the error of an operation killed before it did anything.
func interruptedError(ctx context.Context) error {
	return interrupt.Err(ctx)
}
