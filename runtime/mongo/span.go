package mongo

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/runtime/internal/exec"
)

// runInSpan calls f, which runs an operation, inside the operation's span. The span begins before the arguments are
// checked and encoded, and ends with the error that the program gets. Without a tracer, runInSpan only calls f.
//
// OpenTelemetry, "Instrumenting Driver Operations".
func runInSpan[R any](ctx context.Context, c *Client, op *exec.Operation, f func(context.Context) (R, error)) (R, error) {
	if !c.exec.Traces() {
		return f(ctx)
	}
	var result R
	c.joinSession(ctx, op) // run returns the error, in the span
	err := c.exec.RunInSpan(ctx, op, func(ctx context.Context) (err error) {
		result, err = f(ctx)
		return err
	})
	return result, err
}

// runSingleInSpan is runInSpan for an operation that returns one document. The span does not fail if there is no
// document.
func runSingleInSpan(ctx context.Context, c *Client, op *exec.Operation, f func(context.Context) *SingleResult) *SingleResult {
	result, _ := runInSpan(ctx, c, op, func(ctx context.Context) (*SingleResult, error) {
		r := f(ctx)
		if errors.Is(r.err, ErrNoDocuments) {
			return r, nil
		}
		return r, r.err
	})
	return result
}

// runErrorInSpan is runInSpan for an operation without a result.
func runErrorInSpan(ctx context.Context, c *Client, op *exec.Operation, f func(context.Context) error) error {
	_, err := runInSpan(ctx, c, op, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}
