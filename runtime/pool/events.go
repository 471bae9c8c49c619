package pool

import (
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
)

func (p *Pool[C]) publishPoolCreated() {
	if m := p.cfg.Monitor; m != nil && m.PoolCreated != nil {
		m.PoolCreated(&event.PoolCreated{Address: p.cfg.Address, Options: p.cfg.Options})
	}
}

func (p *Pool[C]) publishPoolReady() {
	if m := p.cfg.Monitor; m != nil && m.PoolReady != nil {
		m.PoolReady(&event.PoolReady{Address: p.cfg.Address})
	}
}

func (p *Pool[C]) publishPoolCleared(serviceID *bson.ObjectID, interruptInUse bool, cause error) {
	if m := p.cfg.Monitor; m != nil && m.PoolCleared != nil {
		m.PoolCleared(&event.PoolCleared{
			Address:                   p.cfg.Address,
			ServiceID:                 serviceID,
			InterruptInUseConnections: interruptInUse,
			Error:                     cause,
		})
	}
}

func (p *Pool[C]) publishPoolClosed() {
	if m := p.cfg.Monitor; m != nil && m.PoolClosed != nil {
		m.PoolClosed(&event.PoolClosed{Address: p.cfg.Address})
	}
}

// publishConnectionCreated also starts the clock for the establishment. The duration runs from this event to the next.
func (p *Pool[C]) publishConnectionCreated(c *Connection[C]) {
	m := p.cfg.Monitor
	if m == nil {
		return
	}
	c.created = time.Now()
	if m.ConnectionCreated != nil {
		m.ConnectionCreated(&event.ConnectionCreated{Address: p.cfg.Address, ConnectionID: c.id})
	}
}

func (p *Pool[C]) publishConnectionReady(c *Connection[C]) {
	if m := p.cfg.Monitor; m != nil && m.ConnectionReady != nil {
		m.ConnectionReady(&event.ConnectionReady{Address: p.cfg.Address, ConnectionID: c.id, Duration: c.establishDuration()})
	}
}

func (p *Pool[C]) publishConnectionClosed(c *Connection[C], reason event.ClosedReason, err error) {
	if reason != event.ClosedError {
		err = nil
	}
	if m := p.cfg.Monitor; m != nil && m.ConnectionClosed != nil {
		m.ConnectionClosed(&event.ConnectionClosed{Address: p.cfg.Address, ConnectionID: c.id, Reason: reason, Error: err})
	}
}

// publishCheckOutStarted returns the time at which the check-out started. It is the zero time without a listener.
func (p *Pool[C]) publishCheckOutStarted() time.Time {
	m := p.cfg.Monitor
	if m == nil {
		return time.Time{}
	}
	started := time.Now()
	if m.ConnectionCheckOutStarted != nil {
		m.ConnectionCheckOutStarted(&event.ConnectionCheckOutStarted{Address: p.cfg.Address})
	}
	return started
}

func (p *Pool[C]) publishCheckOutFailed(started time.Time, err error) {
	m := p.cfg.Monitor
	if m == nil || m.ConnectionCheckOutFailed == nil {
		return
	}
	failed := &event.ConnectionCheckOutFailed{
		Address:  p.cfg.Address,
		Reason:   checkOutReason(err),
		Duration: time.Since(started),
	}
	if failed.Reason == event.CheckOutFailedConnectionError {
		failed.Error = err
	}
	m.ConnectionCheckOutFailed(failed)
}

func checkOutReason(err error) event.CheckOutFailedReason {
	if _, ok := errors.AsType[fault.PoolClosedError](err); ok {
		return event.CheckOutFailedPoolClosed
	}
	if _, ok := errors.AsType[fault.WaitQueueTimeoutError](err); ok {
		return event.CheckOutFailedTimeout
	}
	return event.CheckOutFailedConnectionError
}

func (p *Pool[C]) publishCheckedOut(started time.Time, c *Connection[C]) {
	if m := p.cfg.Monitor; m != nil && m.ConnectionCheckedOut != nil {
		m.ConnectionCheckedOut(&event.ConnectionCheckedOut{
			Address:      p.cfg.Address,
			ConnectionID: c.id,
			Duration:     time.Since(started),
		})
	}
}

func (p *Pool[C]) publishCheckedIn(c *Connection[C]) {
	if m := p.cfg.Monitor; m != nil && m.ConnectionCheckedIn != nil {
		m.ConnectionCheckedIn(&event.ConnectionCheckedIn{Address: p.cfg.Address, ConnectionID: c.id})
	}
}
