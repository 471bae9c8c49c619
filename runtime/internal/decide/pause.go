package decide

import (
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/core/txn"
)

// OverloadPause is the pause before a retry after an overload: the server's base, or the usual one if base is 0, grown with each retry.
// random is a number in [0, 1).
//
// Client Backpressure, "Overload retry policy", item 3.
func OverloadPause(base time.Duration, retries int, random float64) time.Duration {
	if base <= 0 {
		base = retry.BaseBackoff
	}
	return backoff(base, retry.BackoffGrowth, retry.MaxBackoff, retries, random)
}

// TransactionPause is the pause of withTransaction before it tries again what it has tried so often.
//
// Convenient API, "Sequence of Actions", step 2.
func TransactionPause(attempts int, random float64) time.Duration {
	return backoff(txn.WithTransactionBackoff, txn.WithTransactionBackoffGrowth, txn.WithTransactionMaxBackoff, attempts, random)
}

// backoff grows a pause, bounds it, and takes a random part of it.
func backoff(base time.Duration, growth float64, longest time.Duration, times int, random float64) time.Duration {
	grown := float64(base) * math.Pow(growth, float64(times))
	return time.Duration(random * min(float64(longest), grown))
}
