package decide

import (
	"context"
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/fault"
)

// OwnTimeout describes the timeoutMS of an operation; nil means that it has none.
func OwnTimeout(d *time.Duration) timeout.Own {
	switch {
	case d == nil:
		return timeout.OwnUnset
	case *d == 0:
		return timeout.OwnEndless
	case *d < 0:
		return timeout.OwnNegative
	}
	return timeout.OwnLimited
}

// InheritedTimeout describes the timeoutMS that an operation inherits; nil means that there is none.
func InheritedTimeout(d *time.Duration) timeout.Inherited {
	switch {
	case d == nil:
		return timeout.InheritedUnset
	case *d == 0:
		return timeout.InheritedEndless
	case *d < 0:
		return timeout.InheritedNegative
	}
	return timeout.InheritedLimited
}

// AwaitOf compares maxAwaitTimeMS with the timeoutMS that applies. Either may be nil.
func AwaitOf(set, d *time.Duration) timeout.MaxAwait {
	switch {
	case set == nil:
		return timeout.AwaitUnset
	case *set < 0:
		return timeout.AwaitNegative
	case d != nil && *set >= *d:
		return timeout.AwaitLong
	}
	return timeout.AwaitShort
}

// CallDeadline describes the deadline of a call's context, and returns it if it has not passed.
func CallDeadline(ctx context.Context, now time.Time) (time.Time, timeout.CallTime) {
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() == nil && now.Before(deadline) {
		return deadline, timeout.CallLimited
	}
	return time.Time{}, timeout.CallUnlimited
}

// TimeRemaining returns the time until a deadline, less a round trip, in whole milliseconds for maxTimeMS. It never
// returns 0, which would mean no limit.
//
// Client Side Operations Timeout, "Command Execution".
func TimeRemaining(deadline, now time.Time, roundTrip time.Duration) (ms int64, remaining timeout.Remaining) {
	left := deadline.Sub(now) - roundTrip
	if left <= 0 {
		return 0, timeout.NothingRemains
	}
	if ms = int64((left + time.Millisecond - 1) / time.Millisecond); ms > math.MaxInt32 {
		return 0, timeout.MoreRemains
	}
	return ms, timeout.SomeRemains
}

// CauseOf describes an error to the decision about its type.
func CauseOf(err error) timeout.Cause {
	switch {
	case fault.IsCanceled(err):
		return timeout.Canceled
	case fault.IsTimeout(err):
		return timeout.RanOut
	}
	return timeout.OtherCause
}
