package exec

import "context"

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
	Failures Failures

	Running []RunningOperation // the running operations, up to a limit
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
	for i := range c.failures {
		out.Failures[i] = c.failures[i].Load()
	}
	return out
}
