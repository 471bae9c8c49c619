package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

func TestKindsOfTimeouts(t *testing.T) {
	for _, tt := range []struct {
		set       *time.Duration
		own       timeout.Own
		inherited timeout.Inherited
	}{
		{nil, timeout.OwnUnset, timeout.InheritedUnset},
		{new(time.Duration(0)), timeout.OwnEndless, timeout.InheritedEndless},
		{new(time.Duration(1)), timeout.OwnLimited, timeout.InheritedLimited},
		{new(time.Duration(-1)), timeout.OwnNegative, timeout.InheritedNegative},
	} {
		if own, inherited := OwnTimeout(tt.set), InheritedTimeout(tt.set); own != tt.own || inherited != tt.inherited {
			t.Errorf("%v, %v: want %v, %v", own, inherited, tt.own, tt.inherited)
		}
	}
}

func TestKindsOfAwaits(t *testing.T) {
	second, zero := new(time.Second), new(time.Duration(0))
	for _, tt := range []struct {
		set, timeout *time.Duration
		want         timeout.MaxAwait
	}{
		{nil, second, timeout.AwaitUnset},
		{new(time.Duration(-1)), second, timeout.AwaitNegative},
		{new(time.Second - 1), second, timeout.AwaitShort},
		{second, second, timeout.AwaitLong},
		{second, nil, timeout.AwaitShort},
		{zero, second, timeout.AwaitShort},
		{second, zero, timeout.AwaitLong},
	} {
		if got := AwaitOf(tt.set, tt.timeout); got != tt.want {
			t.Errorf("%v of %v is %v, want %v", tt.set, tt.timeout, got, tt.want)
		}
	}
}

func TestDeadlineOfACall(t *testing.T) {
	end := time.Now().Add(time.Hour)
	limited, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		now  time.Time
		want timeout.CallTime
	}{
		{"none", t.Context(), end, timeout.CallUnlimited},
		{"ahead", limited, end.Add(-1), timeout.CallLimited},
		{"passed, though the timer has not fired", limited, end, timeout.CallUnlimited},
	} {
		deadline, got := CallDeadline(tt.ctx, tt.now)
		if got != tt.want || deadline.IsZero() != (got == timeout.CallUnlimited) || got == timeout.CallLimited && !deadline.Equal(end) {
			t.Errorf("%s: %v, %v", tt.name, deadline, got)
		}
	}
	cancel()
	if _, got := CallDeadline(limited, end.Add(-1)); got != timeout.CallUnlimited {
		t.Errorf("a cancelled call is %v", got)
	}
}

// The time left, less a round trip, is rounded to milliseconds. It is never 0, and never more than maxTimeMS can hold.
func TestTimeRemaining(t *testing.T) {
	end := time.Now().Add(time.Hour)
	for _, tt := range []struct {
		left, roundTrip time.Duration
		ms              int64
		want            timeout.Remaining
	}{
		{50 * time.Millisecond, 20 * time.Millisecond, 30, timeout.SomeRemains},
		{50*time.Millisecond + 1, 20 * time.Millisecond, 31, timeout.SomeRemains},
		{1, 0, 1, timeout.SomeRemains},
		{20 * time.Millisecond, 20 * time.Millisecond, 0, timeout.NothingRemains},
		{-1, 0, 0, timeout.NothingRemains},
		{math.MaxInt32 * time.Millisecond, 0, math.MaxInt32, timeout.SomeRemains},
		{math.MaxInt32*time.Millisecond + 1, 0, 0, timeout.MoreRemains},
	} {
		if ms, got := TimeRemaining(end, end.Add(-tt.left), tt.roundTrip); ms != tt.ms || got != tt.want {
			t.Errorf("%v less %v: %d, %v, want %d, %v", tt.left, tt.roundTrip, ms, got, tt.ms, tt.want)
		}
	}
}

func TestCauses(t *testing.T) {
	for want, errs := range map[timeout.Cause][]error{
		timeout.OtherCause: {errors.New("too large"), fault.NetworkError{}},
		timeout.RanOut:     {context.DeadlineExceeded, fault.CommandError{Code: errcode.MaxTimeMSExpired}},
		timeout.Canceled:   {context.Canceled, fmt.Errorf("%w while %w", context.Canceled, context.DeadlineExceeded)},
	} {
		for _, err := range errs {
			if got := CauseOf(err); got != want {
				t.Errorf("%v is %v, want %v", err, got, want)
			}
		}
	}
}
