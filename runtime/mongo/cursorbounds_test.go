package mongo

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/timeout"
)

// The bound of a killCursors ends it in time, and no later than the call that it belongs to.
//
// Client Side Operations Timeout, "Cursor close() methods refresh timeoutMS".
func TestKillCursorsEndsWithinItsBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := time.Now().Add(killTimeout / 4)
		for _, tt := range []struct {
			bound timeout.Bound
			call  time.Time
			want  time.Duration // 0 means no deadline
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
