package fault

import (
	"fmt"

	"github.com/specdrivers/onion/generated/core/cmap"
)

// PoolClosedError is returned by a check-out from a pool that is closed.
type PoolClosedError struct {
	Address string
}

// Error describes the pool.
func (e PoolClosedError) Error() string {
	return "pool: " + cmap.PoolClosedError() + " for " + e.Address
}

// As fills a target of type *PoolClosedError or **PoolClosedError; errors.As and errors.AsType call it.
func (e PoolClosedError) As(target any) bool { return fill(e, target) }

// PoolClearedError is returned by a check-out from a pool that is paused or is cleared during the check-out. An
// operation whose connection was interrupted by the clear returns it too. The operation may be retried: the error says
// nothing new about the server.
type PoolClearedError struct {
	Address     string
	Interrupted bool  // the connection was in use
	Err         error // what cleared the pool, nil when the pool was never ready; not unwrapped: another operation failed
	Labels      []string
}

// Error describes the pool and what cleared it.
func (e PoolClearedError) Error() string {
	if e.Interrupted {
		return "pool: " + cmap.InterruptedError(e.Address)
	}
	if e.Err == nil {
		return "pool: Connection pool for " + e.Address + " is paused because the server has not been checked yet"
	}
	return "pool: " + cmap.PoolClearedError(e.Address, e.Err.Error())
}

// As fills a target of type *PoolClearedError or **PoolClearedError; errors.As and errors.AsType call it.
func (e PoolClearedError) As(target any) bool { return fill(e, target) }

// HasErrorLabel reports whether the error carries the label.
func (e PoolClearedError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e PoolClearedError) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

// WaitQueueTimeoutError is returned by a check-out whose time ran out before a connection became available.
type WaitQueueTimeoutError struct {
	Address         string
	LoadBalanced    bool
	MaxPoolSize     int // 0 = no limit
	InUse           int // connections that were checked out when the time had passed
	ForCursors      int // of these, connections that cursors kept
	ForTransactions int // of these, connections that transactions kept
	Pending         int // connections that were being established
	Waiting         int // other check-outs that were waiting
	Err             error
}

// Error describes how the pool was used at that moment, and what can be done.
func (e WaitQueueTimeoutError) Error() string {
	text := fmt.Sprintf("pool: %s for %s (maxPoolSize %d, in use %d, being established %d, waiting %d)",
		cmap.WaitQueueTimeoutError(), e.Address, e.MaxPoolSize, e.InUse, e.Pending, e.Waiting)
	if e.LoadBalanced {
		text += ". " + cmap.LoadBalancedTimeoutError(int64(e.MaxPoolSize), int64(e.ForCursors), int64(e.ForTransactions),
			int64(e.InUse-e.ForCursors-e.ForTransactions))
	}
	if e.MaxPoolSize > 0 && e.InUse >= e.MaxPoolSize {
		text += "; raise maxPoolSize or close cursors, sessions and change streams that are not needed"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// As fills a target of type *WaitQueueTimeoutError or **WaitQueueTimeoutError; errors.As and errors.AsType call it.
func (e WaitQueueTimeoutError) As(target any) bool { return fill(e, target) }

// Unwrap returns the error of the context; nil when waitQueueTimeoutMS ended the wait.
func (e WaitQueueTimeoutError) Unwrap() error { return e.Err }

// Timeout reports true, unless the caller canceled the operation.
func (e WaitQueueTimeoutError) Timeout() bool { return e.Err == nil || IsTimeout(e.Err) }
