package exec

import (
	"context"
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

// Wait waits until no operation and no cleanup is running, or ctx ends. Only one caller may wait at a time.
func (x *Executor) Wait(ctx context.Context) {
	idle := make(chan struct{}, 1)
	x.counters.idle.Store(&idle)
	for x.counters.inFlight.Load() > 0 || x.counters.cleanups.Load() > 0 {
		select {
		case <-idle:
		case <-ctx.Done():
			return
		}
	}
}

// Stats counts the operations of a client.
type Stats struct {
	InFlight int64 // running operations
	Finished int64 // operations that have ended, including failed ones
	Failed   int64
	Retries  int64 // tries after the first one
	Cleaning int64 // cleanups that go on in the background
	Timeouts Timeouts

	Running []InFlight // the running operations, up to a limit
}

// Stats returns the current counts.
func (x *Executor) Stats() Stats {
	c := &x.counters
	out := Stats{
		InFlight: c.inFlight.Load(), Finished: c.finished.Load(), Failed: c.failed.Load(),
		Retries: c.retries.Load(), Cleaning: c.background.Load(), Running: x.running.list(),
	}
	for i := range c.timeouts {
		out.Timeouts[i] = c.timeouts[i].Load()
	}
	return out
}
