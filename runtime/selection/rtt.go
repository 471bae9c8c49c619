package selection

import (
	"time"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// RTT keeps the round trip times of one server. The zero value has no samples. It is not safe for concurrent use.
type RTT struct {
	average time.Duration
	count   int // samples since the last reset
	recent  [selecttable.RTTSamples]time.Duration
}

// Add adds a sample. It ignores negative ones.
//
// Server Selection, "Calculation of Average Round Trip Times".
func (r *RTT) Add(sample time.Duration) {
	if sample < 0 {
		return
	}
	if r.count == 0 {
		r.average = sample
	} else {
		r.average = NextAverage(r.average, sample)
	}
	r.recent[r.count%len(r.recent)] = sample
	r.count++
}

// Average is the moving average. It is 0 without samples, and only then: samples too short for the clock give 1 ns.
func (r *RTT) Average() time.Duration {
	if r.count == 0 {
		return 0
	}
	return max(r.average, 1)
}

// Min is the shortest of the recent samples. It is 0 until there are enough of them.
//
// Server Monitoring, "Measuring RTT".
func (r *RTT) Min() time.Duration {
	if r.count < selecttable.RTTSamplesNeeded {
		return 0
	}
	shortest := r.recent[0]
	for _, sample := range r.recent[:min(r.count, len(r.recent))] {
		shortest = min(shortest, sample)
	}
	return shortest
}

// Reset drops all samples because the server has become unavailable.
//
// Server Selection, "Calculation of Average Round Trip Times".
func (r *RTT) Reset() { *r = RTT{} }

// NextAverage is the exponentially weighted moving average after one more sample.
func NextAverage(average, sample time.Duration) time.Duration {
	return time.Duration(selecttable.RTTAlpha*float64(sample) + (1-selecttable.RTTAlpha)*float64(average))
}
