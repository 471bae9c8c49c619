package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// maxRounds bounds how often one authentication starts over because the server refuses tokens: the cached one, one from
// the refresh token, one from a new conversation, and each one that another connection cached in the meantime.
const maxRounds = 8

// oidc is MONGODB-OIDC: the client presents an access token of an identity provider.
type oidc struct {
	sasl           *saslMechanism
	username       *string
	human          bool
	allowedHosts   []string // limits where tokens of a human callback go
	connectTimeout time.Duration
	timed          bool // a timeoutMS is always in force
	tokens         *tokens
}

func newOIDC(name, source string, credential *options.Credential, config Config) (*oidc, error) {
	m := &oidc{
		sasl:           &saslMechanism{mech: name, source: source},
		username:       credential.Username,
		connectTimeout: config.ConnectTimeout,
		timed:          config.Timed,
	}
	m.tokens = newTokens()
	if credential.OIDCAllowedHosts != nil && credential.OIDCHumanCallback == nil {
		return nil, fmt.Errorf("%s works only with a human callback", authtable.AllowedHosts)
	}
	switch {
	case credential.OIDCHumanCallback != nil:
		m.human = true
		m.tokens.callback, m.tokens.name = credential.OIDCHumanCallback, "OIDCHumanCallback"
		m.allowedHosts = credential.OIDCAllowedHosts
		if m.allowedHosts == nil {
			m.allowedHosts = authtable.DefaultAllowedHosts()
		}
	case credential.OIDCMachineCallback != nil:
		m.tokens.callback, m.tokens.name = credential.OIDCMachineCallback, "OIDCMachineCallback"
	default:
		callback, err := environmentCallback(credential, config)
		if err != nil {
			return nil, err
		}
		m.tokens.callback, m.tokens.name = callback, "MONGODB-OIDC environment"
	}
	return m, nil
}

func (m *oidc) name() string { return m.sasl.name() }

func (m *oidc) begin(_ context.Context, address string) (exchange, error) {
	if m.human && !isAllowedHost(address, m.allowedHosts) {
		return nil, &hostNotAllowedError{address}
	}
	return &oidcExchange{m: m}, nil
}

// forget removes the token that authenticated a connection from the cache. MONGODB-OIDC, "Reauthentication".
func (m *oidc) forget(c *conn.Conn) {
	if token, ok := c.Authenticated.(string); ok {
		m.tokens.invalidate(token)
	}
	c.Authenticated = nil
}

// oidcExchange authenticates one connection.
type oidcExchange struct {
	m     *oidc
	ahead string // the token that the hello carried
}

// speculate returns the command with the cached token, or nil if there is none.
func (e *oidcExchange) speculate(context.Context) (bson.Raw, error) {
	e.ahead = e.m.tokens.cachedToken()
	if e.ahead == "" {
		return nil, nil
	}
	return e.m.sasl.startCommand(jwtRequest(e.ahead), true), nil
}

func (e *oidcExchange) finish(ctx context.Context, c *conn.Conn, answered bson.Raw) error {
	if answered != nil && parseReply(answered).Done {
		c.Authenticated = e.ahead
		return nil
	}
	if e.m.human {
		return e.m.authenticateHuman(ctx, c)
	}
	return e.m.authenticateMachine(ctx, c)
}

// authenticateMachine follows MONGODB-OIDC, "Credential Caching", "Authentication".
func (m *oidc) authenticateMachine(ctx context.Context, c *conn.Conn) error {
	ask := func() (string, bool, error) {
		ctx, cancel := m.machineContext(ctx)
		defer cancel()
		return m.tokens.get(ctx, m.args())
	}
	for range maxRounds {
		token, fromCache, err := ask()
		if err != nil {
			return err
		}
		err = m.presentToken(ctx, c, token)
		if err == nil || !fromCache || !isRefused(err) {
			return err
		}
		m.tokens.invalidate(token)
	}
	return errTooManyRounds
}

// authenticateHuman follows the algorithm for human callbacks of the same section.
func (m *oidc) authenticateHuman(ctx context.Context, c *conn.Conn) error {
	for range maxRounds {
		token := m.tokens.cachedToken()
		refreshed := false
		if token == "" {
			var err error
			if token, refreshed, err = m.refresh(ctx); err != nil {
				return err
			}
		}
		if token == "" {
			return m.askPerson(ctx, c)
		}
		err := m.presentToken(ctx, c, token)
		if err == nil || !isRefused(err) {
			return err
		}
		if refreshed {
			m.tokens.clearRefresh()
		}
		m.tokens.invalidate(token)
		c.Authenticated = nil
	}
	return errTooManyRounds
}

var errTooManyRounds = errors.New("the server refuses every token")

// refresh gets a token for the refresh token; without one it returns none.
func (m *oidc) refresh(ctx context.Context) (token string, refreshed bool, err error) {
	ctx, cancel := m.humanContext(ctx)
	defer cancel()
	return m.tokens.refresh(ctx, m.args())
}

// askPerson asks the server which identity provider issues tokens, has the callback get one there, and presents it.
func (m *oidc) askPerson(ctx context.Context, c *conn.Conn) error {
	reply, err := m.run(ctx, c, m.sasl.startCommand(principalRequest(m.username), false))
	if err != nil {
		return err
	}
	answer := parseReply(reply)
	info, err := parseIDPInfo(answer.Payload)
	if err != nil {
		return err
	}
	token, err := m.askCallback(ctx, info)
	if err != nil {
		return err
	}
	c.Authenticated = token
	next := authtable.SASLContinue{ConversationID: answer.ConversationID, Payload: jwtRequest(token)}
	reply, err = m.run(ctx, c, next.Append(nil))
	if err != nil {
		return err
	}
	return checkDone(reply)
}

func (m *oidc) askCallback(ctx context.Context, info *options.IDPInfo) (string, error) {
	ctx, cancel := m.humanContext(ctx)
	defer cancel()
	args := m.args()
	args.IDPInfo = info
	return m.tokens.askProvider(ctx, args)
}

// presentToken is the conversation of one step.
func (m *oidc) presentToken(ctx context.Context, c *conn.Conn, token string) error {
	c.Authenticated = token
	reply, err := m.run(ctx, c, m.sasl.startCommand(jwtRequest(token), false))
	if err != nil {
		return err
	}
	return checkDone(reply)
}

// run sends one command. Every command gets the full connect timeout, whatever time callbacks have taken. Under
// timeoutMS the connect timeout does not apply: if each command has the whole timeoutMS, the connection applies it.
func (m *oidc) run(ctx context.Context, c *conn.Conn, command bson.Raw) (bson.Raw, error) {
	each, timed := timeoutOf(ctx)
	if _, limited := ctx.Deadline(); each == 0 && m.connectTimeout > 0 && !(timed && limited) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, m.connectTimeout)
		defer cancel()
	}
	return run(ctx, c, m.sasl.source, command)
}

func (m *oidc) args() *options.OIDCArgs {
	return &options.OIDCArgs{Version: authtable.OIDCCallbackVersion, Username: m.username}
}

// machineContext bounds a callback: under timeoutMS by what remains of it and of the connect timeout, and otherwise by
// a minute. A deadline of the program's own context ends the callback, too, but does not change that limit.
//
// MONGODB-OIDC, "OIDC Callback".
func (m *oidc) machineContext(ctx context.Context) (context.Context, context.CancelFunc) {
	each, timed := timeoutOf(ctx)
	if !timed && !m.timed {
		return context.WithTimeout(ctx, authtable.OIDCCallbackTimeout)
	}
	limit := m.connectTimeout
	if each > 0 && (limit == 0 || each < limit) {
		limit = each
	}
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// humanContext gives a person five minutes, whatever the operation's deadline is. Only a cancellation ends it early.
// MONGODB-OIDC, "OIDC Human Callback".
func (m *oidc) humanContext(ctx context.Context) (context.Context, context.CancelFunc) {
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), authtable.OIDCHumanCallbackTimeout)
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})
	return patient, func() { stop(); cancel() }
}

// isRefused reports whether the server does not accept the token.
func isRefused(err error) bool { return fault.HasErrorCode(err, errcode.AuthenticationFailed) }

func checkDone(reply bson.Raw) error {
	if !parseReply(reply).Done {
		return errors.New("the server does not end the conversation")
	}
	return nil
}

// MayAwaitCallback reports whether an authentication may wait for a callback that has its own time limit. Such an
// attempt applies the connect timeout to each of its commands.
func (a *Authenticator) MayAwaitCallback() bool {
	_, ok := a.fixed.(*oidc)
	return ok
}
