package pool

import "errors"

// These are mistakes of the caller of CheckIn.
var (
	errOtherPool = errors.New("pool: the connection belongs to another pool")
	errNotInUse  = errors.New("pool: the connection is not checked out")
)

// CheckIn gives a connection back. If the connection is broken, not settled, stale or interrupted, or the pool is
// closed, it is closed. Otherwise the check-out that has waited longest gets it.
//
// CMAP, "Checking In a Connection".
func (p *Pool[C]) CheckIn(c *Connection[C]) error {
	if c.pool != p {
		return errOtherPool
	}
	if !c.inUse.CompareAndSwap(true, false) {
		return errNotInUse
	}
	if p.finishLateReply(c) {
		return nil
	}
	p.giveBack(c)
	return nil
}
