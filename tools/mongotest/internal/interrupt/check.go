package interrupt

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Check tells a computation to stop. It belongs to the goroutine that runs the command. A nil Check never stops anything.
type Check struct {
	ctx   context.Context
	asked uint
}

// New is a check that ends with the context.
func New(ctx context.Context) *Check { return &Check{ctx: ctx} }

// Use makes the check follow another context: a getMore goes on with the computation of a find.
func (c *Check) Use(ctx context.Context) {
	if c != nil {
		c.ctx = ctx
	}
}

// Context is the context that ends the computation, for what can wait for it.
func (c *Check) Context() context.Context {
	if c == nil || c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// every is how many questions pass between two looks at the context, which take a lock.
const every = 32

// Err is the error to stop with, or nil. Loops call it for each document.
func (c *Check) Err() error {
	if c == nil {
		return nil
	}
	if c.asked++; c.asked%every != 0 {
		return nil
	}
	return Of(c.ctx)
}

// Of is the server's error for a context that has ended, or nil.
func Of(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return status.Errorf(errcode.MaxTimeMSExpired, "operation exceeded time limit")
	}
	return status.Errorf(errcode.Interrupted, "operation was interrupted")
}
