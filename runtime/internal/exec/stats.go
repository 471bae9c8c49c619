package exec

import (
	"sync/atomic"

	"github.com/specdrivers/onion/runtime/fault"
)

// counters are what a client counts of its operations.
type counters struct {
	inFlight, finished, failed, timeouts, retries atomic.Int64
}

func (c *counters) begin() { c.inFlight.Add(1) }

func (c *counters) end(err error) {
	c.inFlight.Add(-1)
	c.finished.Add(1)
	if err == nil {
		return
	}
	c.failed.Add(1)
	if fault.IsTimeout(err) {
		c.timeouts.Add(1)
	}
}

// Stats counts the operations of a client.
type Stats struct {
	InFlight int64 // operations under way
	Finished int64 // operations that have ended, failed ones included
	Failed   int64
	Timeouts int64 // failed operations whose time ran out
	Retries  int64 // tries after the first one

	Running []InFlight // the operations under way, up to a limit
}

// Stats returns the counts at this moment.
func (x *Executor) Stats() Stats {
	c := &x.counters
	return Stats{
		InFlight: c.inFlight.Load(), Finished: c.finished.Load(), Failed: c.failed.Load(),
		Timeouts: c.timeouts.Load(), Retries: c.retries.Load(),
		Running: x.running.list(),
	}
}
