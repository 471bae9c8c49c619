package decide

import (
	"time"

	"github.com/specdrivers/onion/generated/core/retry"
)

// Pacer counts consecutive tries that have failed while the topology stayed as it was. The zero value has counted none.
//
// The specifications have no such pause: see departures.yaml, paced-operations.
type Pacer struct {
	tries   int
	changes uint64 // how often the topology had changed at the last try
}

// Failed counts a try that has failed. changes is how often the topology has changed by now. It reports whether the
// next try has to wait: a server that fails at once would keep both sides busy.
func (p *Pacer) Failed(changes uint64) bool {
	if p.tries > 0 && changes != p.changes {
		p.tries = 0
	} else {
		p.tries++
	}
	p.changes = changes
	return p.tries >= retry.FreeTries
}

// Pause returns how long the next try waits. random is a number in [0, 1).
func (p *Pacer) Pause(random float64) time.Duration {
	longest := retry.LongestPace
	if doubled := p.tries - retry.FreeTries; doubled < 16 { // enough to reach LongestPace
		longest = min(longest, retry.ShortestPace<<max(doubled, 0))
	}
	return time.Duration(random * float64(longest))
}

// Quiet paces the getMores of one call that bring no document. There is no pause if the server waits for documents, as
// it does for a cursor that awaits data. A server that answers at once would keep both sides busy. The zero value has
// seen no such getMore.
type Quiet struct{ pacer Pacer }

// Pause returns how long to wait before the next getMore. took is how long the last one took, which brought nothing.
// awaited, unless it is 0, is how long the program lets the server wait, and bounds the pause. random returns a number
// in [0, 1).
func (q *Quiet) Pause(took, awaited time.Duration, random func() float64) time.Duration {
	if !q.pacer.Failed(0) {
		return 0
	}
	pause := q.pacer.Pause(random())
	if awaited > 0 {
		pause = min(pause, awaited)
	}
	return max(0, pause-took)
}
