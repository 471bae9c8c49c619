package engine

import (
	"context"
	"time"
)

// awaitDefault is how long an awaitData cursor waits when getMore has no maxTimeMS.
const awaitDefault = time.Second

// awaitChange blocks until the channel is closed, or the context or its deadline ends.
func awaitChange(ctx context.Context, changed <-chan struct{}) {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(awaitDefault)
	}
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
	}
}

// deadlineContext is a context with a deadline from the caller. A source waits with its own timer.
type deadlineContext struct {
	context.Context
	until time.Time
}

// Deadline returns the earlier of the two deadlines.
func (c deadlineContext) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.until) {
		return d, true
	}
	return c.until, true
}
