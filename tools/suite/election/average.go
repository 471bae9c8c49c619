package election

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/selection"
)

// AverageTest is an average round trip.
type AverageTest struct {
	t   *testing.T
	got time.Duration
}

// FirstAverage returns the average after one round trip.
func FirstAverage(t *testing.T, sample time.Duration) *AverageTest {
	var rtt selection.RTT
	rtt.Add(sample)
	return &AverageTest{t, rtt.Average()}
}

// Average returns the average after another round trip.
func Average(t *testing.T, before, sample time.Duration) *AverageTest {
	var rtt selection.RTT
	rtt.Add(before)
	rtt.Add(sample)
	return &AverageTest{t, rtt.Average()}
}

// Is checks the average, to the microsecond.
func (a *AverageTest) Is(want time.Duration) {
	a.t.Helper()
	if (a.got - want).Abs() > time.Microsecond {
		a.t.Errorf("the average is %v, want %v", a.got, want)
	}
}
