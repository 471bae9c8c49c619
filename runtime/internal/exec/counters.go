package exec

import (
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// counters holds a client's counts of its operations.
type counters struct {
	inFlight, finished, failed, retries atomic.Int64
	timeouts                            [timeoutKinds]atomic.Int64
	failures                            [failureKinds]atomic.Int64

	cleanups, background atomic.Int64

	idle atomic.Pointer[chan struct{}] // receives when no operation or no cleanup is running; nil if no one waits
}

func (c *counters) begin() { c.inFlight.Add(1) }

// end counts an operation that has ended. reply is nil unless it may hold failed writes.
func (c *counters) end(err error, reply bson.Raw) {
	if c.inFlight.Add(-1) == 0 {
		c.signalIdle()
	}
	c.finished.Add(1)
	if err == nil {
		if reply == nil {
			return
		}
		if kind, failed := failedWrites(reply); failed {
			c.failed.Add(1)
			c.failures[kind].Add(1)
		}
		return
	}
	c.failed.Add(1)
	c.failures[failureKind(err)].Add(1)
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
