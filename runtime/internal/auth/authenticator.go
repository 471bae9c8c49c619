package auth

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// mechanism carries out one authentication mechanism for many connections. It is safe for concurrent use.
type mechanism interface {
	// name is the name of the mechanism on the wire.
	name() string

	// begin starts a conversation for a connection to the server at address.
	begin(ctx context.Context, address string) (exchange, error)
}

// exchange is what a mechanism does on one connection.
type exchange interface {
	// speculate returns the command that the hello carries; nil if there is none. It is called only for mechanisms
	// whose row in the table of mechanisms says so.
	speculate(ctx context.Context) (bson.Raw, error)

	// finish authenticates the connection. answered is the server's reply to the command that travelled with the
	// hello, nil when there was none.
	finish(ctx context.Context, c *conn.Conn, answered bson.Raw) error
}

// Authenticator authenticates connections with one credential. It is safe for concurrent use.
type Authenticator struct {
	credential *options.Credential
	source     string
	ahead      authtable.Mechanism // the mechanism whose first command the hello carries, if there is one
	fixed      mechanism           // nil when the server chooses between the SCRAM mechanisms
	sha256     mechanism
	sha1       mechanism
}

// Attempt is the authentication of one connection.
type Attempt struct {
	a        *Authenticator
	address  string
	mech     mechanism
	exchange exchange
}

// Begin starts the authentication of a connection to the server at address. If no mechanism was chosen, it begins with
// the one that the hello may carry. Auth, "Speculative Authentication".
func (a *Authenticator) Begin(ctx context.Context, address string) (*Attempt, error) {
	t := &Attempt{a: a, address: address, mech: a.fixed}
	if t.mech == nil {
		t.mech = a.negotiate([]string{string(a.ahead)})
	}
	if err := t.start(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Attempt) start(ctx context.Context) error {
	exchange, err := t.mech.begin(ctx, t.address)
	if err != nil {
		return t.wrap(err)
	}
	t.exchange = exchange
	return nil
}

// AddTo puts what the hello says about authentication into the handshake.
func (t *Attempt) AddTo(ctx context.Context, h *conn.Handshake) error {
	if t.a.fixed == nil {
		h.NegotiateUser = t.a.source + "." + *t.a.credential.Username
	}
	if t.a.ahead == "" {
		return nil
	}
	command, err := t.exchange.speculate(ctx)
	if err != nil {
		return t.wrap(err)
	}
	h.SpeculativeAuthenticate = command
	return nil
}

// Finish authenticates the connection after its hello.
func (t *Attempt) Finish(ctx context.Context, c *conn.Conn) error {
	hello := c.Hello()
	answered := hello.SpeculativeAuthenticate
	if t.a.fixed == nil && answered == nil {
		if chosen := t.a.negotiate(hello.SASLSupportedMechs); chosen != t.mech {
			t.mech = chosen
			if err := t.start(ctx); err != nil {
				return err
			}
		}
	}
	return t.wrap(t.exchange.finish(ctx, c, answered))
}

// Reauthenticate authenticates a connection again that the server no longer trusts. Auth, "Reauthentication".
func (a *Authenticator) Reauthenticate(ctx context.Context, c *conn.Conn) error {
	t := &Attempt{a: a, address: c.Address(), mech: a.fixed}
	if t.mech == nil {
		t.mech = a.negotiate(c.Hello().SASLSupportedMechs)
	}
	if r, ok := t.mech.(interface{ forget(*conn.Conn) }); ok {
		r.forget(c)
	}
	if err := t.start(ctx); err != nil {
		return err
	}
	return t.wrap(t.exchange.finish(ctx, c, nil))
}

// negotiate picks a mechanism from those that the server lists for the user. Auth, "Default Authentication Methods".
func (a *Authenticator) negotiate(supported []string) mechanism {
	for _, name := range supported {
		if name == a.sha256.name() {
			return a.sha256
		}
	}
	return a.sha1
}

func (t *Attempt) wrap(err error) error {
	if err == nil {
		return nil
	}
	failed := fault.AuthError{Address: t.address, Mechanism: t.mech.name(), Source: t.a.source, Err: err}
	if name := t.a.credential.Username; name != nil {
		failed.Username = *name
	}
	return failed
}

// run sends a command of an authentication and turns a reply that is not ok into an error.
func run(ctx context.Context, c *conn.Conn, db string, command bson.Raw) (bson.Raw, error) {
	reply, err := c.RunCommand(ctx, db, command)
	if err != nil {
		return nil, err
	}
	if reply, err = fault.ReadReply(reply); err != nil {
		return nil, fmt.Errorf("the server's reply: %w", err)
	}
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 {
		return nil, fault.NewCommandError(nameOf(command), c.Address(), reply)
	}
	return reply, nil
}

func nameOf(command bson.Raw) string {
	for key := range command.All() {
		return key
	}
	return ""
}
