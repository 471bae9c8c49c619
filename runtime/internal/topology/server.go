package topology

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/pool"
	"github.com/specdrivers/onion/runtime/sdam"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// Server is one server of a topology: its pool and its monitor. A Server that has left the topology is still safe to
// use, but its pool is closed.
type Server struct {
	topology   *Topology
	address    string
	pool       *pool.Pool[*Connection]
	monitor    *monitor // nil behind a load balancer
	operations atomic.Int64
	history    atomic.Pointer[history]
}

func (t *Topology) newServer(address string) *Server {
	s := &Server{topology: t, address: address}
	s.history.Store(&history{since: time.Now()})
	s.pool = pool.New(pool.Config[*Connection]{
		Address: address,
		Options: poolOptions(t.cfg.Options),
		Connect: func(ctx context.Context, id int64) (*Connection, error) {
			return t.connectInGoroutine(ctx, address, id)
		},
		Authenticate:     t.authenticateInGoroutine,
		OnEstablishError: s.handleEstablishError,
		LoadBalanced:     t.set.loadBalanced,
		Monitor:          t.pools,
	})
	if !t.set.loadBalanced {
		s.monitor = newMonitor(t, address)
	}
	return s
}

// poolOptions are the options of each pool.
func poolOptions(o *options.Client) event.PoolOptions {
	out := event.PoolOptions{
		MaxPoolSize:      o.MaxPoolSize,
		MinPoolSize:      o.MinPoolSize,
		MaxConnecting:    o.MaxConnecting,
		MaxIdleTime:      o.MaxIdleTime,
		WaitQueueTimeout: o.WaitQueueTimeout,
	}
	if o.Timeout != nil {
		out.WaitQueueTimeout = nil // Client Side Operations Timeout, "waitQueueTimeoutMS": timeoutMS takes its place
	}
	return out
}

// Address is the address of the server.
func (s *Server) Address() string { return s.address }

// Description is what the driver currently knows about the server. After the server has left the topology, it is a
// description of type Unknown.
func (s *Server) Description() *description.Server {
	if d, ok := s.topology.current.Load().description.Server(s.address); ok {
		return d
	}
	return &description.Server{Address: s.address}
}

// Type is the type of the server. While the server is Unknown, it is the type before that: an operation that has
// selected the server still writes its command for what the server is.
func (s *Server) Type() description.ServerType {
	if typ := s.Description().Type; typ.IsAvailable() {
		return typ
	}
	return s.history.Load().known
}

// IsRouter reports whether the server routes operations to others: it is a mongos, or the service behind a load
// balancer.
func (s *Server) IsRouter() bool {
	typ := s.Type()
	return typ == description.Mongos || typ == description.LoadBalancer
}

// Operations counts the operations that the server is executing or has been selected for.
func (s *Server) Operations() int64 { return s.operations.Load() }

// PoolStats counts the connections of the server's pool.
func (s *Server) PoolStats() pool.Stats { return s.pool.Stats() }

// CheckOut returns a connection to the server. The caller gives it back with CheckIn. Until then the server counts as
// executing one more operation. If CheckOut fails, the topology already knows about the error.
func (s *Server) CheckOut(ctx context.Context) (*Pooled, error) {
	s.operations.Add(1)
	c, err := s.pool.CheckOut(ctx)
	if err != nil {
		s.operations.Add(-1)
	}
	return c, err
}

// CheckOutPatiently is CheckOut without waitQueueTimeoutMS, for operations that have a timeoutMS.
func (s *Server) CheckOutPatiently(ctx context.Context) (*Pooled, error) {
	s.operations.Add(1)
	c, err := s.pool.CheckOutWithin(ctx, 0)
	if err != nil {
		s.operations.Add(-1)
	}
	return c, err
}

// CheckIn gives back a connection to the server.
func (s *Server) CheckIn(c *Pooled) {
	if s.pool.CheckIn(c) == nil {
		s.operations.Add(-1)
	}
}

// HandleError tells the topology about an error of an operation on an established connection. Call it before CheckIn.
func (s *Server) HandleError(c *Pooled, err error) {
	s.handleError(&sdam.ApplicationError{
		Address:    s.address,
		Generation: c.Generation(),
		ServiceID:  c.ServiceID(),
		Phase:      sdamtable.AfterHandshake,
		Err:        err,
	})
}

func (s *Server) handleEstablishError(e *pool.EstablishError) {
	s.handleError(&sdam.ApplicationError{
		Address:    s.address,
		Generation: e.Generation,
		ServiceID:  e.ServiceID,
		Phase:      sdamtable.BeforeHandshake,
		Err:        e.Err,
	})
}

func (s *Server) handleError(e *sdam.ApplicationError) {
	if e.Err == nil {
		return
	}
	t := s.topology
	e.PoolGeneration = s.pool.Generation(e.ServiceID)
	if _, fx := t.model.HandleError(t.current.Load().description, e); fx.IsEmpty() {
		return // most errors say nothing about the server, and a stale error cannot become current
	}
	t.update(func(now description.Topology) (description.Topology, sdam.Effects) {
		e.PoolGeneration = s.pool.Generation(e.ServiceID) // cannot change here: only updates clear pools
		return t.model.HandleError(now, e)
	})
}

func (s *Server) startMonitor() {
	if s.monitor != nil {
		s.topology.monitors.Go(s.monitor.run)
	}
}

func (s *Server) requestCheck() {
	if s.monitor != nil {
		s.monitor.requestCheck()
	}
}

// stop ends the monitor and closes the pool. Operations that have a connection may finish. It does not wait: the caller
// may be the monitor itself, and closing the pool waits for check-outs, which may be waiting to update the topology.
func (s *Server) stop() {
	if s.monitor != nil {
		s.monitor.cancel()
	}
	s.topology.closing.Go(s.pool.Close)
}

// shutDown is stop for a client that closes: operations that have a connection fail.
func (s *Server) shutDown() {
	if s.monitor != nil {
		s.monitor.cancel()
	}
	s.topology.closing.Go(s.pool.CloseInterrupting)
}
