package decide

import (
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/retry"
)

// OverloadPause is the pause before a retry after an overload: the server's base, or the usual one if base is 0, grown with each retry
// and bounded, times a random number in [0, 1).
//
// Client Backpressure, "Overload retry policy", item 3.
func OverloadPause(base time.Duration, retries int, random float64) time.Duration {
	if base <= 0 {
		base = retry.BaseBackoff
	}
	longest := float64(min(base, retry.MaxBackoff)) * math.Pow(retry.BackoffGrowth, float64(retries))
	return time.Duration(random * min(float64(retry.MaxBackoff), longest))
}
