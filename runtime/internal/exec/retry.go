package exec

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/runtime/fault"
)

// shouldRetry decides after the first try.
func (a *attempt) shouldRetry(ctx context.Context, err error) bool {
	if ctx.Err() != nil || a.op.Server != nil {
		return false
	}
	switch a.retry {
	case command.RetryRead:
		return retryableRead(err)
	case command.RetryWrite:
		return fault.HasLabel(err, fault.LabelRetryableWriteError)
	}
	return false
}

// retryableRead: a network error, a pool that was cleared, or a code that the specification lists. Retryable reads,
// "Retryable Error".
func retryableRead(err error) bool {
	return fault.IsNetworkError(err) || codeOf(err).IsRetryableRead()
}
