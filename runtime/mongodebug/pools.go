package mongodebug

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// pools holds what the events report about the pools, by address.
type pools struct {
	byAddress sync.Map // of *poolRecord
}

type poolRecord struct {
	mu      sync.Mutex
	max     int
	created int64
	closed  map[event.ClosedReason]int64
	failed  map[event.CheckOutFailedReason]int64
	waits   histogram
}

func (p *pools) recordOf(address string) *poolRecord {
	if have, ok := p.byAddress.Load(address); ok {
		return have.(*poolRecord)
	}
	made := &poolRecord{
		max: options.DefaultMaxPoolSize, closed: map[event.ClosedReason]int64{}, failed: map[event.CheckOutFailedReason]int64{},
	}
	have, _ := p.byAddress.LoadOrStore(address, made)
	return have.(*poolRecord)
}

// peek returns what is known of a pool. It does not create a record, because the record would stay and the pool may be
// gone.
func (p *pools) peek(address string) *poolRecord {
	if have, ok := p.byAddress.Load(address); ok {
		return have.(*poolRecord)
	}
	return &poolRecord{max: options.DefaultMaxPoolSize}
}

func (r *recorder) poolCreated(e *event.PoolCreated) {
	p := r.pools.recordOf(e.Address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Options.MaxPoolSize != nil {
		p.max = *e.Options.MaxPoolSize
	}
}

func (r *recorder) poolReady(e *event.PoolReady) {
	r.noteChange(view.Change{Subject: e.Address, Note: "its pool may be used"})
}

func (r *recorder) poolCleared(e *event.PoolCleared) {
	note := "its pool is cleared"
	if e.InterruptInUseConnections {
		note += ", connections in use are interrupted"
	}
	r.noteChange(view.Change{Subject: e.Address, Note: note})
}

// poolClosed forgets the pool, so servers that come and go do not fill the memory.
func (r *recorder) poolClosed(e *event.PoolClosed) { r.pools.byAddress.Delete(e.Address) }

func (r *recorder) connectionCreated(e *event.ConnectionCreated) {
	p := r.pools.recordOf(e.Address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.created++
}

func (r *recorder) connectionClosed(e *event.ConnectionClosed) {
	p := r.pools.recordOf(e.Address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed[e.Reason]++
}

func (r *recorder) checkedOut(e *event.ConnectionCheckedOut) {
	r.pools.recordOf(e.Address).waits.add(e.Duration)
}

func (r *recorder) checkOutFailed(e *event.ConnectionCheckOutFailed) {
	p := r.pools.recordOf(e.Address)
	p.mu.Lock()
	p.failed[e.Reason]++
	p.mu.Unlock()
	failed := problem{Kind: "check-out", then: "the operation had no connection"}
	failed.Outcome = string(e.Reason)
	failed.ID, failed.Name, failed.Server = r.ids.Add(1), "check-out", e.Address
	failed.At, failed.For = time.Now().Add(-e.Duration).UnixMilli(), view.Milliseconds(e.Duration)
	if e.Error != nil {
		p := problemOf(e.Error, r.values)
		failed.Text = p.Text
	}
	r.problems.add(0, failed)
	r.notify()
}
