package mongo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
)

// A bound of a killCursors ends it when it says, and not later than the call that it belongs to.
//
// Client Side Operations Timeout, "Cursor close() methods refresh timeoutMS".
func TestBoundsOfAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := time.Now().Add(killTimeout / 4)
		for _, tt := range []struct {
			bound timeout.Bound
			call  time.Time
			want  time.Duration // 0 for none
		}{
			{timeout.WholeTimeout, call, 3 * killTimeout},
			{timeout.ShortTime, call, killTimeout},
			{timeout.UntilCall, call, killTimeout / 4},
			{timeout.ShortWithinCall, call, killTimeout / 4},
			{timeout.ShortWithinCall, time.Now().Add(2 * killTimeout), killTimeout},
			{timeout.ContextAlone, call, 0},
		} {
			k := cursorKill{deadline: tt.call, timeout: &cursorTimeout{timeout: new(3 * killTimeout)}}
			ctx, cancel := k.boundContext(t.Context(), tt.bound)
			defer cancel()
			deadline, ok := ctx.Deadline()
			if got := time.Until(deadline); ok != (tt.want != 0) || ok && got != tt.want {
				t.Errorf("%v: %v, %t, want %v", tt.bound, got, ok, tt.want)
			}
		}
	})
}

// A server that awaits data has the time that is left, less what its reply takes to come, and never no limit.
//
// Client Side Operations Timeout, "Tailable awaitData cursors".
func TestTimeOfAServerThatAwaitsData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		await := options.TailableAwait
		limit, err := newCursorTimeout(t.Context(), cursorOptions{kind: &await, own: new(time.Minute), maxAwait: new(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ left, roundTrip, want time.Duration }{
			{10 * time.Second, time.Second, time.Second},
			{700 * time.Millisecond, 0, 700 * time.Millisecond},
			{700 * time.Millisecond, 300 * time.Millisecond, 400 * time.Millisecond},
			{700 * time.Millisecond, 800 * time.Millisecond, time.Millisecond},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), tt.left)
			defer cancel()
			if got := limit.maxAwaitTime(ctx, time.Second, tt.roundTrip); got != tt.want {
				t.Errorf("%v are left, and a round trip takes %v: %v, want %v", tt.left, tt.roundTrip, got, tt.want)
			}
		}
	})
}
