package decide

import (
	"testing"
	"time"
)

// The pauses in numbers, so that a changed row is noticed here.
//
// Client Backpressure, "Overload retry policy"; Convenient API, "Sequence of Actions", step 2.
func TestPausesInNumbers(t *testing.T) {
	for name, tt := range map[string]struct{ got, want time.Duration }{
		"the first after an overload":       {OverloadPause(0, 1, 1), 200 * time.Millisecond},
		"the second":                        {OverloadPause(0, 2, 1), 400 * time.Millisecond},
		"half of it":                        {OverloadPause(0, 2, 0.5), 200 * time.Millisecond},
		"with a base of the server":         {OverloadPause(time.Millisecond, 3, 1), 8 * time.Millisecond},
		"the longest":                       {OverloadPause(0, 30, 1), 10 * time.Second},
		"the first of withTransaction":      {TransactionPause(1, 1), 7500 * time.Microsecond},
		"the longest of withTransaction":    {TransactionPause(100, 1), 500 * time.Millisecond},
		"none where chance will have it so": {TransactionPause(100, 0), 0},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}
