package exec

import "sync/atomic"

// Cleanup is work that a call leaves behind, such as killCursors: it may go on after the call has returned. Wait waits
// for it.
type Cleanup struct {
	counters *counters
	phase    atomic.Int32
}

// The phases of a Cleanup.
const (
	cleanupInCall       int32 = iota // the call waits for it
	cleanupInBackground              // the call has returned
	cleanupEnded
)

// BeginCleanup counts a cleanup.
func (x *Executor) BeginCleanup() *Cleanup {
	x.counters.cleanups.Add(1)
	return &Cleanup{counters: &x.counters}
}

// Leave records that the call returns while the cleanup goes on in the background.
func (c *Cleanup) Leave() {
	c.counters.background.Add(1)
	if !c.phase.CompareAndSwap(cleanupInCall, cleanupInBackground) {
		c.counters.background.Add(-1)
	}
}

// End records that the cleanup has ended.
func (c *Cleanup) End() {
	if c.phase.Swap(cleanupEnded) == cleanupInBackground {
		c.counters.background.Add(-1)
	}
	if c.counters.cleanups.Add(-1) == 0 {
		c.counters.signalIdle()
	}
}

// Reached reports whether a message of the operation's last run was sent, at least in part.
func (op *Operation) Reached() bool { return op.execution.reached }
