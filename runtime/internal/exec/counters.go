package exec

import (
	"sync/atomic"

	"github.com/specdrivers/onion/runtime/fault"
)

// counters holds a client's counts of its operations.
type counters struct {
	inFlight, finished, failed, retries atomic.Int64
	timeouts                            [timeoutKinds]atomic.Int64

	cleanups, background atomic.Int64

	idle atomic.Pointer[chan struct{}] // receives when no operation or no cleanup is running; nil if no one waits
}

func (c *counters) begin() { c.inFlight.Add(1) }

func (c *counters) end(err error) {
	if c.inFlight.Add(-1) == 0 {
		c.signalIdle()
	}
	c.finished.Add(1)
	if err == nil {
		return
	}
	c.failed.Add(1)
	if fault.IsTimeout(err) {
		c.timeouts[timeoutKind(err)].Add(1)
	}
}

func (c *counters) signalIdle() {
	if idle := c.idle.Load(); idle != nil {
		select {
		case *idle <- struct{}{}:
		default: // the signal has been sent already
		}
	}
}
