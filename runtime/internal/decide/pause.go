package decide

import (
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/core/txn"
)

// OverloadPause returns the pause before a retry after an overload. It grows with each retry from base, the server's,
// or from the default if base is 0. random is a number in [0, 1).
//
// Client Backpressure, "Overload retry policy", item 3.
func OverloadPause(base time.Duration, retries int, random float64) time.Duration {
	if base <= 0 {
		base = retry.BaseBackoff
	}
	return backoff(base, retry.BackoffGrowth, retry.MaxBackoff, retries, random)
}

// TransactionPause returns the pause of withTransaction after the given number of attempts.
//
// Convenient API, "Sequence of Actions", step 2.
func TransactionPause(attempts int, random float64) time.Duration {
	return backoff(txn.WithTransactionBackoff, txn.WithTransactionBackoffGrowth, txn.WithTransactionMaxBackoff, attempts, random)
}

// backoff returns a random part of a pause that grows with times, up to longest.
func backoff(base time.Duration, growth float64, longest time.Duration, times int, random float64) time.Duration {
	grown := float64(base) * math.Pow(growth, float64(times))
	return time.Duration(random * min(float64(longest), grown))
}
