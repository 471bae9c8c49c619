package topology

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/sdamtable"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/pool"
	"github.com/specdrivers/onion/runtime/sdam"
)

// Connection is what the pools of a topology hold.
type Connection struct {
	*conn.Conn
	attempt *auth.Attempt // the authentication that started with the hello; nil without authentication
}

// Pooled is a connection that a Server has checked out.
type Pooled = pool.Connection[*Connection]

// Alive lets the pool find out that the server has closed an idle connection.
var _ pool.ProbedConn = (*Connection)(nil)

// FinishReply lets the pool keep a connection whose reply arrives too late for its operation.
var _ pool.LateConn = (*Connection)(nil)

// Settled keeps the pool from handing out a connection on which another operation has left something.
var _ pool.SettledConn = (*Connection)(nil)

// ServiceID is the service that the connection leads to through a load balancer; nil without one.
func (c *Connection) ServiceID() *bson.ObjectID { return c.Hello().ServiceID }

// errNotBalanced has the text that the specification gives. Load Balancer, "Connection Establishment".
var errNotBalanced = errors.New(sdamtable.LoadBalancingUnsupported() +
	" (leave out loadBalanced=true, or name the load balancer itself)")

// connectInGoroutine and authenticateInGoroutine run connect and authenticate for pools in a goroutine of their own: if
// a connection of the program ends that goroutine, the pool does not lose the place of the connection.
func (t *Topology) connectInGoroutine(ctx context.Context, address string, id int64) (c *Connection, err error) {
	if exited := callback.RunInGoroutine(conn.DialerName, func() { c, err = t.connect(ctx, address, id) }); exited != nil {
		return nil, exited
	}
	return c, err
}

func (t *Topology) authenticateInGoroutine(ctx context.Context, opened *Connection) (err error) {
	defer opened.ForgetHello()
	if opened.attempt == nil {
		return nil
	}
	if exited := callback.RunInGoroutine(conn.DialerName, func() { err = t.authenticate(ctx, opened) }); exited != nil {
		return exited
	}
	return err
}

// FinishReply calls the method of conn.Conn in a goroutine of its own, which a connection of the program may end.
func (c *Connection) FinishReply(ctx context.Context) (err error) {
	if exited := callback.RunInGoroutine(conn.DialerName, func() { err = c.Conn.FinishReply(ctx) }); exited != nil {
		c.Close()
		return exited
	}
	return err
}

// connect opens a pooled connection and performs the handshake.
func (t *Topology) connect(ctx context.Context, address string, id int64) (*Connection, error) {
	if t.cfg.connect != nil {
		return t.cfg.connect(ctx, address, id)
	}
	opening, cancel := t.withConnectTimeout(ctx)
	defer cancel()
	handshake := t.cfg.handshake()
	handshake.LoadBalanced = t.set.loadBalanced
	var attempt *auth.Attempt
	if t.cfg.Auth != nil {
		var err error
		if attempt, err = t.cfg.Auth.Begin(opening, address); err != nil {
			return nil, err
		}
		if err := attempt.AddTo(opening, &handshake); err != nil {
			return nil, err
		}
	}
	c, err := t.cfg.Dialer.Dial(opening, address)
	if err != nil {
		return nil, err
	}
	if !pool.InCheckOutWithin(ctx) { // connectTimeoutMS applies, in the background too: see departures.yaml, background-connections
		c.SetIOTimeout(t.set.socketTimeout)
		ctx = opening
	}
	usable := false
	defer func() {
		if !usable { // the program's own connection may have ended the goroutine
			c.Close() // report the error of the handshake, not this one
		}
	}()
	if err := t.shakeHands(ctx, c, &handshake); err != nil {
		return nil, err
	}
	usable = true
	c.SetIOTimeout(t.set.socketTimeout)
	return &Connection{Conn: c, attempt: attempt}, nil
}

// shakeHands sends the hello and checks the reply.
func (t *Topology) shakeHands(ctx context.Context, c *conn.Conn, handshake *conn.Handshake) error {
	hello, err := c.Handshake(ctx, handshake)
	if err != nil {
		return err
	}
	if ok, _ := hello.Raw.Lookup("ok").AsFloat64OK(); ok != 1 {
		err := fault.NewCommandError(wire.Hello, c.Address(), hello.Raw)
		if handshake.LoadBalanced && fault.HasErrorCode(err, errcode.CommandNotFound) {
			return fmt.Errorf("%w: %w", errNotBalanced, err) // the server is too old for this mode
		}
		return err
	}
	if !handshake.LoadBalanced {
		t.noteHandshake(c.Address(), hello.Raw)
		return nil
	}
	if hello.ServiceID == nil {
		return errNotBalanced
	}
	return nil
}

// authenticate authenticates a connection that connect returned.
func (t *Topology) authenticate(ctx context.Context, opened *Connection) error {
	if opened.attempt == nil || opened.isArbiter() {
		return nil
	}
	opened.SetIOTimeout(t.commandTimeout(ctx))
	defer opened.SetIOTimeout(t.set.socketTimeout)
	if t.limitsCommands(ctx) {
		ctx = auth.UnderTimeout(ctx, t.backgroundTimeout(ctx))
	} else if !t.cfg.Auth.MayAwaitCallback() {
		var cancel context.CancelFunc
		ctx, cancel = t.withConnectTimeout(ctx)
		defer cancel()
	}
	err := opened.attempt.Finish(ctx, opened.Conn)
	opened.attempt = nil
	return err
}

// isArbiter reports whether the connection leads to an arbiter. An arbiter has no users, so nobody can authenticate
// there.
//
// Auth, "Authentication Handshake", step 2.
func (c *Connection) isArbiter() bool {
	return sdam.ServerFromHello(c.Address(), c.Hello().Raw, time.Now()).Type == description.RSArbiter
}

// limitsCommands reports whether a timeoutMS limits the commands of the authentication. In the background it limits
// each of them. For an operation it limits all of them together, with the handshake and the check-out.
//
// Client Side Operations Timeout, "Server Selection" and "Background Connection Pooling".
func (t *Topology) limitsCommands(ctx context.Context) bool {
	return t.backgroundTimeout(ctx) > 0 || pool.InCheckOutWithin(ctx)
}

// commandTimeout limits each read and write of an authentication: in the background to timeoutMS, and otherwise to
// socketTimeoutMS, which applies only without a timeoutMS.
//
// Client Side Operations Timeout, "Server Selection" and "Background Connection Pooling".
func (t *Topology) commandTimeout(ctx context.Context) time.Duration {
	switch limit := t.backgroundTimeout(ctx); {
	case limit > 0:
		return limit
	case pool.InCheckOutWithin(ctx):
		return 0 // the operation has a timeoutMS, see CheckOutPatiently
	}
	return t.set.socketTimeout
}

// backgroundTimeout is the client's timeoutMS if no operation waits for the connection. It then limits each command of
// the authentication. It is 0 for any other connection.
//
// Client Side Operations Timeout, "Background Connection Pooling".
func (t *Topology) backgroundTimeout(ctx context.Context) time.Duration {
	if !pool.InBackground(ctx) {
		return 0
	}
	return option.Or(t.cfg.Options.Timeout, 0)
}

func (t *Topology) withConnectTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.set.connectTimeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, t.set.connectTimeout)
}
