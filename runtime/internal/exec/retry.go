package exec

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
)

// retryKind says whether the operation may be retried as a read, as a write or not at all, given the client's settings.
func (e *execution) retryKind() command.Retry {
	if e.inTxn {
		if e.op.EndsTransaction {
			return command.RetryWrite // Transactions, "Interaction with Retryable Writes": whatever the settings
		}
		return command.RetryNone
	}
	switch e.meta.Retry {
	case command.RetryRead:
		if e.x.RetryReads {
			return command.RetryRead
		}
	case command.RetryWrite:
		if e.x.RetryWrites && e.acknowledged() {
			return command.RetryWrite
		}
	}
	return command.RetryNone
}

// again decides whether to try again after err, and how long to wait first.
//
// Client Backpressure, "Pseudocode".
func (e *execution) again(ctx context.Context, err error) (time.Duration, bool) {
	if e.final || Expired(ctx) || !e.retryable(err) {
		return 0, false
	}
	overloaded := fault.HasLabel(err, fault.LabelSystemOverloadedError)
	if overloaded {
		e.overloaded = true
	}
	if e.retries >= e.allowedRetries() {
		return 0, false
	}
	if !overloaded {
		return 0, true
	}
	return e.backoff(err, e.retries+1), true
}

// allowedRetries is the maximum number of retries. Once the server was overloaded, the limit for overloads applies.
//
// Client Backpressure, "Interaction with Other Retry Policies"; Client Side Operations Timeout, "Retryability".
func (e *execution) allowedRetries() int {
	switch {
	case e.overloaded:
		return e.x.MaxAdaptiveRetries
	case e.op.csot:
		return maxRetries
	}
	return retry.Retries
}

// maxRetries means no limit: only a timeoutMS ends the retries.
const maxRetries = math.MaxInt

// retryable reports whether another try may succeed after err.
func (e *execution) retryable(err error) bool {
	if fault.HasLabel(err, fault.LabelRetryableError) && fault.HasLabel(err, fault.LabelSystemOverloadedError) {
		return e.adaptive()
	}
	switch {
	case e.op.Server != nil:
		return false
	case e.retry == command.RetryRead:
		return retryableRead(err)
	case e.retry == command.RetryWrite:
		return fault.HasLabel(err, fault.LabelRetryableWriteError)
	}
	return false
}

// adaptive reports whether the settings let the operation be retried after an overload. A command that the program
// wrote itself may read or write, so it needs both settings.
//
// Client Backpressure, "Overload retry policy", item 2.
func (e *execution) adaptive() bool {
	switch {
	case e.op.EndsTransaction:
		return true
	case e.meta.Access == command.Read:
		return e.x.RetryReads
	case e.meta.Access == command.Write:
		return e.x.RetryWrites
	}
	return e.x.RetryReads && e.x.RetryWrites
}

// backoff is how long to wait before a retry. The server may send another base.
//
// Client Backpressure, "Overload retry policy", item 3.
func (e *execution) backoff(err error, number int) time.Duration {
	base := retry.BaseBackoff
	if c, ok := errors.AsType[fault.CommandError](err); ok {
		if ms, ok := c.Raw.Lookup("baseBackoffMS").AsInt64OK(); ok && ms > 0 && ms <= int64(retry.MaxBackoff/time.Millisecond) {
			base = time.Duration(ms) * time.Millisecond
		} else if ok && ms > 0 {
			base = retry.MaxBackoff
		}
	}
	longest := min(float64(retry.MaxBackoff), float64(base)*math.Pow(retry.BackoffGrowth, float64(number)))
	return time.Duration(e.x.Random() * longest)
}

// sleep waits before a retry. It reports whether there is time for one.
func sleep(ctx context.Context, pause time.Duration) bool {
	if pause <= 0 {
		return !Expired(ctx)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return !Expired(ctx)
	case <-ctx.Done():
		return false
	}
}

// deprioritize makes the next try prefer another server.
//
// Retryable Writes, "Executing Retryable Write Commands": in a sharded cluster always, elsewhere only after an
// overload, and only if the program wants it.
func (e *execution) deprioritize(address string, err error) {
	if e.x.Topology.Description().Type == description.Sharded ||
		e.x.Retarget && fault.HasLabel(err, fault.LabelSystemOverloadedError) {
		e.avoid = append(e.avoid, address)
	}
}

// judge keeps the error that the caller gets: the latest error of a try that may have written, or else the first error.
// For a read that is the latest error of a try that was sent: the label NoWritesPerformed says nothing about it.
//
// Retryable Writes, "Executing Retryable Write Commands"; Retryable Reads, "3c. If a retry attempt fails".
func (e *execution) judge(t *try, err error) {
	reached := t.sentAny && (e.meta.Access == command.Read || !fault.HasLabel(err, fault.LabelNoWritesPerformed))
	if e.counts == nil || reached {
		e.counts, e.countsFrom = err, e.retries
	}
}

// retryableRead reports whether err is a network error, a cleared pool, or a code that the specification lists.
// Retryable reads, "Retryable Error".
func retryableRead(err error) bool {
	return fault.IsNetworkError(err) || codeOf(err).IsRetryableRead()
}
