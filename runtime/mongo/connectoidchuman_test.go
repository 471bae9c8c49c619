package mongo_test

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// newHumanScene returns a scene whose callback returns a refresh token, as an identity provider for people does.
func newHumanScene(t *testing.T, opts ...mongotest.Option) *oidcScene {
	s := newOIDCScene(t, opts...)
	s.refresh = new("refresh")
	return s
}

// inHumanScene is inOIDCScene with such a callback.
func inHumanScene(t *testing.T, test func(*testing.T, *oidcScene), opts ...mongotest.Option) {
	t.Helper()
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		s.refresh = new("refresh")
		test(t, s)
	}, append(opts, mongotest.Listen("localhost", 27017))...) // an allowed host
}

// withTwoProviders returns the options of a server that knows two identity providers.
func withTwoProviders() []mongotest.Option {
	return []mongotest.Option{
		mongotest.WithIdentityProvider(mongotest.IdentityProvider{Issuer: "https://one", ClientID: "one", Domain: "1@example.com"}),
		mongotest.WithIdentityProvider(mongotest.IdentityProvider{Issuer: "https://two", ClientID: "two", Domain: "2@example.com"}),
	}
}

func (s *oidcScene) newPersonClient(name string) *mongo.Client {
	return s.newClient(&options.Credential{OIDCHumanCallback: s.callback, Username: &name})
}

// Human flow, 1.1 Single Principal Implicit Username.
func TestOIDCHumanImplicitUsername(t *testing.T) {
	s := newHumanScene(t)
	s.wantSuccess(find(t, s.newHumanClient()))
	s.wantCalls(1)
}

// Human flow, 1.2 Single Principal Explicit Username.
func TestOIDCHumanExplicitUsername(t *testing.T) {
	s := newHumanScene(t)
	s.wantSuccess(find(t, s.newPersonClient("test_user1@example.com")))
}

// Human flow, 1.3 Multiple Principal User 1.
func TestOIDCHumanFirstOfSeveral(t *testing.T) {
	s := newHumanScene(t, withTwoProviders()...)
	s.wantSuccess(find(t, s.newPersonClient("test_user1@example.com")))
	if issuer := s.args[0].IDPInfo.Issuer; issuer != "https://one" {
		t.Errorf("issuer = %s", issuer)
	}
}

// Human flow, 1.4 Multiple Principal User 2.
func TestOIDCHumanSecondOfSeveral(t *testing.T) {
	s := newHumanScene(t, withTwoProviders()...)
	s.tokens = []string{"other"}
	s.wantSuccess(find(t, s.newPersonClient("test_user2@example.com")))
	if issuer := s.args[0].IDPInfo.Issuer; issuer != "https://two" {
		t.Errorf("issuer = %s", issuer)
	}
}

// Human flow, 1.5 Multiple Principal No User.
func TestOIDCHumanNobodyOfSeveral(t *testing.T) {
	s := newHumanScene(t, withTwoProviders()...)
	s.wantFailure(find(t, s.newHumanClient()))
	s.wantCalls(0)
}

// Human flow, 1.6 Allowed Hosts Blocked.
func TestOIDCHumanHostIsNotAllowed(t *testing.T) {
	for name, allowed := range map[string][]string{"none": {}, "another": {"example.com"}} {
		t.Run(name, func(t *testing.T) {
			s := newHumanScene(t)
			client, err := mongo.Connect(t.Context(), "mongodb://"+s.d.Hosts()[0]+"/?authMechanism=MONGODB-OIDC&ignored=example.com",
				&options.Client{Auth: &options.Credential{OIDCHumanCallback: s.callback, OIDCAllowedHosts: allowed}})
			s.wantSuccess(err)
			defer client.Close(t.Context())
			err = find(t, client)
			s.wantFailure(err)
			var command mongo.CommandError
			if errors.As(err, &command) || !strings.Contains(err.Error(), "allowed hosts") {
				t.Errorf("err = %v, want an error of the client's own", err)
			}
			s.wantCalls(0)
			if n := s.saslStarts(); n != 0 {
				t.Errorf("%d saslStart", n)
			}
		})
	}
}

// Human flow, 1.7 Allowed Hosts in Connection String Ignored.
func TestOIDCHumanAllowedHostsCannotBeAString(t *testing.T) {
	s := newHumanScene(t)
	_, err := mongo.Connect(t.Context(),
		"mongodb+srv://example.com/?authMechanism=MONGODB-OIDC&authMechanismProperties=ALLOWED_HOSTS:%5B%22example.com%22%5D",
		&options.Client{Auth: &options.Credential{OIDCHumanCallback: s.callback}})
	s.wantFailure(err)
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		t.Errorf("the name was looked up first: %v", err)
	}
}

// Human flow, 1.8 Machine IdP with Human Callback.
func TestOIDCHumanWithMachineProvider(t *testing.T) {
	s := newHumanScene(t, mongotest.WithIdentityProvider(mongotest.IdentityProvider{Issuer: "https://machine"}))
	s.tokens = []string{"machine"}
	s.wantSuccess(find(t, s.newPersonClient("test_machine")))
	if id := s.args[0].IDPInfo.ClientID; id != "" {
		t.Errorf("client id = %q", id)
	}
}

// Human flow, 2.1 Valid Callback Inputs.
func TestOIDCHumanCallbackInputs(t *testing.T) {
	s := newHumanScene(t)
	s.wantSuccess(find(t, s.newPersonClient("test_user1@example.com")))
	args := s.args[0]
	if args.Version != 1 || args.Username == nil || *args.Username != "test_user1@example.com" || args.RefreshToken != nil {
		t.Errorf("args = %+v", args)
	}
	info := args.IDPInfo
	if info == nil || info.Issuer != "https://localhost/issuer" || info.ClientID != "mongotest" || !slices.Equal(info.RequestScopes, []string{"openid"}) {
		t.Errorf("identity provider = %+v", info)
	}
}

// Human flow, 2.2 Human Callback Returns Missing Data.
func TestOIDCHumanCallbackReturnsNoToken(t *testing.T) {
	s := newHumanScene(t)
	s.tokens = []string{""}
	s.wantFailure(find(t, s.newHumanClient()))
}

// Human flow, 2.3 Refresh Token Is Passed To The Callback.
func TestOIDCHumanRefreshTokenIsPassed(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newHumanClient()
		s.wantSuccess(find(t, client))
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantSuccess(find(t, client))
		s.wantCalls(2)
		if s.args[0].RefreshToken != nil || s.args[1].RefreshToken == nil || *s.args[1].RefreshToken != "refresh" {
			t.Errorf("refresh tokens: %v, then %v", s.args[0].RefreshToken, s.args[1].RefreshToken)
		}
		if s.args[1].IDPInfo == nil {
			t.Error("the identity provider was not passed along with the refresh token")
		}
	})
}

// Human flow, 3.1 Uses speculative authentication if there is a cached token.
func TestOIDCHumanSpeculates(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newHumanClient()
		s.fail("find", "closeConnection", true)
		s.wantFailure(find(t, client))
		s.fail("saslStart", "errorCode", 18)
		s.wantSuccess(find(t, client))
		s.wantCalls(1)
	})
}

// Human flow, 3.2 Does not use speculative authentication if there is no cached token.
func TestOIDCHumanDoesNotSpeculateWithoutToken(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		s.fail("saslStart", "errorCode", 18)
		s.wantFailure(find(t, s.newHumanClient()))
	})
}

// Human flow, 4.1 Succeeds.
func TestOIDCHumanReauthenticates(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		log := &commandLog{}
		client := s.newHumanClient(&options.Client{CommandMonitor: log.monitor()})
		s.wantSuccess(find(t, client))
		s.wantCalls(1)
		log.forget()
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantSuccess(find(t, client))
		s.wantCalls(2)
		log.want(t, "started find", "failed find", "started find", "succeeded find")
	})
}

// newReauthenticatedClient returns a client that has reauthenticated once, with the second token.
func (s *oidcScene) newReauthenticatedClient() *mongo.Client {
	client := s.newHumanClient()
	s.wantSuccess(find(s.t, client))
	s.wantCalls(1)
	s.fail("find", "errorCode", reauthenticationRequired)
	s.wantSuccess(find(s.t, client))
	s.wantCalls(2)
	return client
}

// Human flow, 4.2 Succeeds no refresh.
func TestOIDCHumanReauthenticatesWithoutRefreshToken(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		s.refresh = nil
		s.newReauthenticatedClient()
		if s.args[1].RefreshToken != nil || s.args[1].IDPInfo == nil {
			t.Errorf("args = %+v", s.args[1])
		}
	})
}

// Human flow, 4.3 Succeeds after refresh fails. The token that the refresh token gave is refused; a new conversation
// starts without it.
func TestOIDCHumanReauthenticatesAfterRefreshFails(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		s.refresh = new("bad")
		client := s.newReauthenticatedClient()

		s.tokens = []string{"first", "second", "bad", "second"}
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantSuccess(find(t, client))
		s.wantCalls(4)
		if s.args[2].RefreshToken == nil || s.args[3].RefreshToken != nil {
			t.Errorf("refresh tokens: %v, then %v", s.args[2].RefreshToken, s.args[3].RefreshToken)
		}
	})
}

// Human flow, 4.4 Fails.
func TestOIDCHumanReauthenticationFails(t *testing.T) {
	inHumanScene(t, func(t *testing.T, s *oidcScene) {
		s.tokens = []string{"first", "bad"}
		client := s.newHumanClient()
		s.wantSuccess(find(t, client))
		s.wantCalls(1)
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantFailure(find(t, client))
		s.wantCalls(3)
	})
}

// After a reauthentication, sessions and operations without a session go on.
func TestReauthenticationOfOtherMechanisms(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "secret"))
	log := &commandLog{}
	client := connect(t, d, &options.Client{AppName: new(oidcApp), RetryReads: new(false), CommandMonitor: log.monitor()})
	admin := connect(t, d)
	s := &oidcScene{t: t, d: d, admin: admin}
	s.wantSuccess(find(t, client))
	log.forget()
	d.ForgetCommands()
	s.fail("find", "errorCode", reauthenticationRequired)
	s.wantSuccess(find(t, client))
	log.want(t, "started find", "failed find", "started find", "succeeded find")
	if n := s.saslStarts(); n != 1 {
		t.Errorf("%d saslStart", n)
	}
	if err := client.Database("admin").RunCommand(t.Context(), bson.Doc("ping", 1)).Err(); err != nil {
		t.Error(err)
	}
}
