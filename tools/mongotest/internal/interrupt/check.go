package interrupt

import (
	"cmp"
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

// New returns a check that ends with the context.
func New(ctx context.Context) *Check { return &Check{ctx: ctx} }

// Use makes the check follow another context: a getMore continues the computation of a find.
func (c *Check) Use(ctx context.Context) {
	if c != nil {
		c.ctx = ctx
	}
}

// Context returns the context that ends the computation, for what can wait for it.
func (c *Check) Context() context.Context {
	if c == nil || c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// every is how many calls of Err pass between two checks of the context, which take a lock.
const every = 32

// Err returns the error to stop with, or nil. Loops call it for each document.
func (c *Check) Err() error {
	if c == nil {
		return nil
	}
	if c.asked++; c.asked%every != 0 {
		return nil
	}
	return Err(c.ctx)
}

// Cause is the key of a context's value that tells why it was cancelled: the code of the error. Without one the command was
// killed.
type Cause struct{}

// Err returns the server's error for a context that has ended, or nil.
func Err(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return status.Errorf(errcode.MaxTimeMSExpired, "operation exceeded time limit")
	}
	code, _ := ctx.Value(Cause{}).(errcode.Code)
	return status.Errorf(cmp.Or(code, errcode.Interrupted), "operation was interrupted")
}

// Is reports whether a code says that a command was stopped. Then it is not an error of the statement that was running.
func Is(code errcode.Code) bool {
	switch code {
	case errcode.MaxTimeMSExpired, errcode.Interrupted, errcode.InterruptedDueToReplStateChange:
		return true
	}
	return false
}
