package auth_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// oidcClient authenticates connections with tokens of a callback, which remembers what it was told.
type oidcClient struct {
	t      *testing.T
	d      *mongotest.Deployment
	a      *auth.Authenticator
	args   []options.OIDCArgs
	tokens []string // the tokens to return, one after another
	more   *string  // the refresh token beside each
}

// memoryHosts are the names of deployments in memory.
var memoryHosts = []string{"*.mongotest.invalid"}

func runOIDC(t *testing.T, test func(t *testing.T, c *oidcClient), opts ...mongotest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, &oidcClient{t: t, d: tokenServer(t, append(opts, mongotest.InMemory())...), tokens: []string{"first", "second"}})
	})
}

func (c *oidcClient) callback(_ context.Context, args *options.OIDCArgs) (*options.OIDCCredential, error) {
	c.args = append(c.args, *args)
	return &options.OIDCCredential{AccessToken: c.tokens[len(c.args)-1], RefreshToken: c.more}, nil
}

func (c *oidcClient) use(credential options.Credential) error {
	a, err := auth.New(oidcCredential(credential), auth.Config{})
	c.a = a
	return err
}

// open authenticates a new connection, and returns it with the names of the commands that it took.
func (c *oidcClient) open() (*conn.Conn, []string, error) {
	c.t.Helper()
	before := len(c.d.Commands())
	dialer := conn.Dialer{NetDialer: c.d.Dialer()}
	wire, err := dialer.Dial(c.t.Context(), c.d.Hosts()[0])
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { wire.Close() })
	attempt, err := c.a.Begin(c.t.Context(), wire.Address())
	if err != nil {
		return wire, nil, err
	}
	var h conn.Handshake
	if err := attempt.AddTo(c.t.Context(), &h); err != nil {
		return wire, nil, err
	}
	if _, err := wire.Handshake(c.t.Context(), &h); err != nil {
		c.t.Fatal(err)
	}
	err = attempt.Finish(c.t.Context(), wire)
	return wire, c.commandsSince(before), err
}

// commandsSince lists the commands after the first n.
func (c *oidcClient) commandsSince(n int) (names []string) {
	for _, sent := range c.d.Commands()[n:] {
		names = append(names, sent.Name)
	}
	return names
}

func (c *oidcClient) wantCommands(what string, got, want []string, err error) {
	c.t.Helper()
	if err != nil || !slices.Equal(got, want) {
		c.t.Fatalf("%s takes %q, %v, want %q", what, got, err, want)
	}
}

// MONGODB-OIDC, "Credential Caching": a machine's token is cached, and the hello carries it. If the server refuses a
// cached token, the driver gets another; if it refuses a new one, it does not.
func TestTokensOfMachines(t *testing.T) {
	runOIDC(t, func(t *testing.T, c *oidcClient) {
		if err := c.use(options.Credential{OIDCMachineCallback: c.callback, Username: new("ada")}); err != nil {
			t.Fatal(err)
		}
		_, sent, err := c.open()
		c.wantCommands("the first connection", sent, []string{"isMaster", "saslStart"}, err)
		wire, sent, err := c.open()
		c.wantCommands("the second connection", sent, []string{"isMaster"}, err)
		if len(c.args) != 1 || c.args[0].Version != 1 || *c.args[0].Username != "ada" || wire.Authenticated != "first" {
			t.Errorf("the callback got %+v, the connection has %v", c.args, wire.Authenticated)
		}
		c.d.RevokeToken("first")
		wire, sent, err = c.open()
		c.wantCommands("after the token has expired", sent, []string{"isMaster", "saslStart", "saslStart"}, err)
		if wire.Authenticated != "second" {
			t.Errorf("the connection has %v", wire.Authenticated)
		}
		before := len(c.d.Commands())
		c.d.RevokeToken("second")
		c.tokens = append(c.tokens, "third") // which no server knows
		err = c.a.Reauthenticate(t.Context(), wire)
		if !fault.HasErrorCode(err, errcode.AuthenticationFailed) || len(c.args) != 3 {
			t.Errorf("err = %v after %d calls", err, len(c.args))
		}
		c.wantCommands("a new token that is refused", c.commandsSince(before), []string{"saslStart"}, nil)
	})
}

// MONGODB-OIDC, "Reauthentication": the token of the connection is invalidated, but not a newer one in the cache.
func TestReauthenticationGivesUpTheTokenOfTheConnection(t *testing.T) {
	runOIDC(t, func(t *testing.T, c *oidcClient) {
		if err := c.use(options.Credential{OIDCMachineCallback: c.callback}); err != nil {
			t.Fatal(err)
		}
		one, _, err := c.open()
		if err != nil {
			t.Fatal(err)
		}
		other, _, err := c.open()
		if err != nil {
			t.Fatal(err)
		}
		for _, wire := range []*conn.Conn{one, other} {
			if err := c.a.Reauthenticate(t.Context(), wire); err != nil || wire.Authenticated != "second" {
				t.Errorf("err = %v, the connection has %v", err, wire.Authenticated)
			}
		}
		if len(c.args) != 2 {
			t.Errorf("%d calls, want 2", len(c.args))
		}
	})
}

// MONGODB-OIDC, "Human Authentication Flow".
func TestTokensOfPeople(t *testing.T) {
	provider := mongotest.WithIdentityProvider(mongotest.IdentityProvider{Issuer: "https://one", ClientID: "club"})
	runOIDC(t, func(t *testing.T, c *oidcClient) {
		c.more = new("again")
		err := c.use(options.Credential{OIDCHumanCallback: c.callback, OIDCAllowedHosts: memoryHosts})
		if err != nil {
			t.Fatal(err)
		}
		_, sent, err := c.open()
		c.wantCommands("the first connection", sent, []string{"isMaster", "saslStart", "saslContinue"}, err)
		info := c.args[0].IDPInfo
		if info == nil || info.Issuer != "https://one" || info.ClientID != "club" || c.args[0].RefreshToken != nil {
			t.Fatalf("the callback got %+v, of %+v", c.args[0], info)
		}
		wire, sent, err := c.open()
		c.wantCommands("the second connection", sent, []string{"isMaster"}, err)
		before := len(c.d.Commands())
		c.d.RevokeToken("first")
		err = c.a.Reauthenticate(t.Context(), wire)
		c.wantCommands("with a refresh token", c.commandsSince(before), []string{"saslStart"}, err)
		if len(c.args) != 2 || c.args[1].RefreshToken == nil || *c.args[1].RefreshToken != "again" || c.args[1].IDPInfo != info {
			t.Errorf("the callback got %+v", c.args)
		}
		// A refreshed token that is refused leads to the person.
		before = len(c.d.Commands())
		c.d.RevokeToken("second")
		c.tokens = append(c.tokens, "third", "fourth")
		err = c.a.Reauthenticate(t.Context(), wire)
		if !fault.HasErrorCode(err, errcode.AuthenticationFailed) || len(c.args) != 4 || c.args[3].RefreshToken != nil {
			t.Errorf("err = %v, the callback got %+v", err, c.args)
		}
		c.wantCommands("a refreshed token that is refused", c.commandsSince(before), []string{"saslStart", "saslStart", "saslContinue"}, nil)
	}, provider)
}

// If a callback refuses to refresh a token, the program gets its error.
func TestARefreshThatFails(t *testing.T) {
	provider := mongotest.WithIdentityProvider(mongotest.IdentityProvider{Issuer: "https://one", ClientID: "club"})
	runOIDC(t, func(t *testing.T, c *oidcClient) {
		c.more = new("again")
		refused := errors.New("not now")
		err := c.use(options.Credential{OIDCAllowedHosts: memoryHosts, OIDCHumanCallback: func(ctx context.Context, args *options.OIDCArgs) (*options.OIDCCredential, error) {
			if args.RefreshToken != nil {
				return nil, refused
			}
			return c.callback(ctx, args)
		}})
		if err != nil {
			t.Fatal(err)
		}
		wire, _, err := c.open()
		if err != nil {
			t.Fatal(err)
		}
		c.d.RevokeToken("first")
		if err := c.a.Reauthenticate(t.Context(), wire); !errors.Is(err, refused) {
			t.Errorf("%v", err)
		}
	}, provider)
}

// MONGODB-OIDC, "ALLOWED_HOSTS": only allowed hosts get a token. By default these are the hosts of Atlas and this
// machine.
func TestPeoplesTokensStayWithTheirHosts(t *testing.T) {
	called := errors.New("called")
	callback := func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) { return nil, called }
	for _, tt := range []struct {
		address string
		allowed []string
		works   bool
	}{
		{"db.example.com:27017", nil, false}, {"cluster.mongodb.net:27017", nil, true}, {"[::1]:27017", nil, true},
		{"db.example.com:27017", []string{"db.example.com"}, true}, {"localhost:27017", []string{}, false},
	} {
		a, err := auth.New(oidcCredential(options.Credential{OIDCHumanCallback: callback, OIDCAllowedHosts: tt.allowed}), auth.Config{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Begin(t.Context(), tt.address)
		if works := err == nil; works != tt.works || !works && !strings.Contains(err.Error(), tt.address+" is not one of the allowed hosts") {
			t.Errorf("%s of %v: %v", tt.address, tt.allowed, err)
		}
	}
	for name, credential := range map[string]options.Credential{
		"a machine with allowed hosts":        {OIDCMachineCallback: callback, OIDCAllowedHosts: []string{"a"}},
		"an environment with allowed hosts":   {OIDCAllowedHosts: []string{}, AuthMechanismProperties: map[string]string{"ENVIRONMENT": "test"}},
		"neither a callback nor surroundings": {},
	} {
		if _, err := auth.New(oidcCredential(credential), auth.Config{}); err == nil || !strings.HasPrefix(err.Error(), "auth: MONGODB-OIDC: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A malformed identity provider in a server's reply is an error.
func TestStrangeIdentityProviders(t *testing.T) {
	for _, tt := range []struct {
		name    string
		payload bson.D
		says    string
	}{
		{"no issuer", bson.Doc("clientId", "a"), "no issuer"},
		{"an issuer that is no text", bson.Doc("issuer", 7), "no issuer"},
	} {
		runOIDC(t, func(t *testing.T, c *oidcClient) {
			if err := c.use(options.Credential{OIDCHumanCallback: c.callback, OIDCAllowedHosts: memoryHosts}); err != nil {
				t.Fatal(err)
			}
			payload, err := bson.Marshal(tt.payload)
			if err != nil {
				t.Fatal(err)
			}
			c.d.Intercept(mongotest.Named("saslStart"), 0, func(mongotest.Command) mongotest.Answer {
				reply, err := bson.Marshal(bson.Doc("ok", 1, "conversationId", 1, "done", false, "payload", bson.Binary{Data: payload}))
				if err != nil {
					t.Error(err)
				}
				return mongotest.Answer{Reply: reply}
			})
			if _, _, err := c.open(); err == nil || !strings.Contains(err.Error(), tt.says) || len(c.args) != 0 {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}
