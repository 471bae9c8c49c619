package pool

import (
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
)

// Stats counts the connections of a pool.
type Stats struct {
	Total     int // pending, available and in use
	Available int
	Pending   int // connections that are being established
	Waiting   int // check-outs in the wait queue

	OldestWait time.Duration // how long the next check-out in line has waited, 0 when none waits

	ForCursors      int // connections in use that cursors keep
	ForTransactions int // connections in use that transactions keep

	Generation uint64
	Ready      bool // check-outs are served
}

// InUse is the number of connections that are checked out.
func (s Stats) InUse() int { return s.Total - s.Available - s.Pending }

// Stats returns the current counts.
func (p *Pool[C]) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.statsLocked()
	if first := p.waiting.first; first != nil {
		s.OldestWait = time.Since(first.since)
	}
	return s
}

func (p *Pool[C]) statsLocked() Stats {
	return Stats{
		Total: p.total, Available: len(p.available), Pending: p.pending, Waiting: p.waiting.length,
		ForCursors: p.pinned[PinnedByCursor], ForTransactions: p.pinned[PinnedByTransaction],
		Generation: p.generation, Ready: p.state == cmap.PoolReady,
	}
}
