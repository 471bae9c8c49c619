package pool

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"time"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
)

// establish connects and authenticates a pending connection. On failure it closes the connection. On success the
// connection is still pending.
//
// CMAP, "Establishing a Connection".
func (p *Pool[C]) establish(ctx context.Context, c *Connection[C]) error {
	p.publishConnectionCreated(c)
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.mu.Lock()
	c.cancel = cancel
	if c.interrupted.Load() || p.state == cmap.PoolClosed {
		cancel(context.Canceled) // between newConnection and here
	}
	p.mu.Unlock()

	conn, err := p.cfg.Connect(ctx, c.id)
	if err != nil {
		if !hasEnded(caller) {
			err = addOverloadLabels(err)
		}
		return p.abandon(caller, c, err, false)
	}
	p.mu.Lock()
	c.Conn, c.opened = conn, true
	if p.cfg.LoadBalanced {
		p.joinService(c)
	}
	p.mu.Unlock()
	if p.cfg.Authenticate != nil {
		if err := p.cfg.Authenticate(ctx, conn); err != nil {
			return p.abandon(caller, c, err, true)
		}
	}
	p.publishConnectionReady(c)
	return nil
}

// abandon closes a connection that could not be established. It returns the error for the check-out.
//
// If the check-out itself ran out of time, the error says nothing about the server, not even during authentication. An
// operation with a short deadline must not clear the pool for all others. The timeouts of the connection do count, as
// connectTimeoutMS does: they are what SDAM, "Network error when reading or writing", speaks of.
func (p *Pool[C]) abandon(caller context.Context, c *Connection[C], err error, afterHello bool) error {
	reason := event.ClosedError
	p.mu.Lock()
	c.cancel = nil
	p.mu.Unlock()
	switch {
	case p.isClosed():
		reason = event.ClosedPoolClosed
		err = fault.PoolClosedError{Address: p.cfg.Address}
	case c.interrupted.Load():
		reason = event.ClosedStale
		err = c.Fault(err)
	case hasEnded(caller):
	case p.cfg.OnEstablishError != nil:
		p.cfg.OnEstablishError(&EstablishError{
			ConnectionID: c.id,
			Generation:   c.generation,
			ServiceID:    c.ServiceID(),
			AfterHello:   afterHello,
			Err:          err,
		})
	}
	p.destroy(c, reason, err)
	return err
}

// hasEnded reports whether a context has ended. It also checks the clock: a socket's timer may fire before the
// context's own.
func hasEnded(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// putInUse moves an established connection from pending to in use, for the check-out that established it.
func (p *Pool[C]) putInUse(c *Connection[C]) error {
	p.mu.Lock()
	c.cancel = nil
	if err := p.refuseEstablished(c); err != nil {
		p.mu.Unlock()
		p.destroy(c, reasonOf(err), err)
		return err
	}
	c.pending = false
	c.inUse.Store(true)
	p.pending--
	granted := p.grantPlaces()
	tooFew := p.total < p.lim.minPoolSize
	p.mu.Unlock()
	deliver(granted, grant[C]{})
	if tooFew {
		p.scheduleRun()
	}
	return nil
}

// putAvailable moves an established connection that no check-out waits for from pending to available.
func (p *Pool[C]) putAvailable(c *Connection[C]) {
	p.mu.Lock()
	c.cancel = nil
	if err := p.refuseEstablished(c); err != nil {
		p.mu.Unlock()
		p.destroy(c, reasonOf(err), err)
		return
	}
	// CMAP, "Populating the Pool with a Connection": it becomes available first, and stops counting as pending after
	// that.
	c.pending = false
	w := p.offer(c)
	p.pending--
	granted := p.grantPlaces()
	p.mu.Unlock()
	if w != nil {
		w.granted <- grant[C]{conn: c}
	}
	deliver(granted, grant[C]{})
}

// refuseEstablished says why a newly established connection cannot be used: the pool was cleared or closed in the
// meantime. The mutex is held.
func (p *Pool[C]) refuseEstablished(c *Connection[C]) error {
	switch {
	case p.state == cmap.PoolClosed:
		return fault.PoolClosedError{Address: p.cfg.Address}
	case c.interrupted.Load():
		return fault.PoolClearedError{Address: p.cfg.Address, Interrupted: true}
	case p.isStale(c) && c.service != nil:
		return fault.PoolClearedError{Address: p.cfg.Address, Err: c.service.cause}
	case p.isStale(c):
		return fault.PoolClearedError{Address: p.cfg.Address, Err: p.cause}
	}
	return nil
}

func reasonOf(err error) event.ClosedReason {
	if _, ok := errors.AsType[fault.PoolClosedError](err); ok {
		return event.ClosedPoolClosed
	}
	return event.ClosedStale
}

// addOverloadLabels adds the labels for an overloaded server to a network error that overload may have caused.
//
// CMAP, "Connection Pool": Backpressure-enabled.
func addOverloadLabels(err error) error {
	network, ok := errors.AsType[fault.NetworkError](err)
	if !ok || network.Kind != fault.NetworkIO || fault.IsCanceled(err) || rulesOutOverload(err) {
		return err
	}
	return fault.AddLabels(err, fault.LabelSystemOverloadedError, fault.LabelRetryableError)
}

// rulesOutOverload reports whether overload of the server can never cause an error like err.
func rulesOutOverload(err error) bool {
	if _, ok := errors.AsType[fault.CallbackError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok
}
