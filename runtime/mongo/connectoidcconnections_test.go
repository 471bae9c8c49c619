package mongo_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// onConnectionsWith returns the commands on each connection on which the named command arrived.
func onConnectionsWith(d *mongotest.Deployment, command string) [][]string {
	byID := map[int64][]string{}
	var order []int64
	for _, c := range d.Commands() {
		if byID[c.ConnectionID] == nil {
			order = append(order, c.ConnectionID)
		}
		byID[c.ConnectionID] = append(byID[c.ConnectionID], c.Name)
	}
	var out [][]string
	for _, id := range order {
		if slices.Contains(byID[id], command) {
			out = append(out, byID[id])
		}
	}
	return out
}

// Auth, "Authentication" and "Authentication Handshake": a connection first says hello and logs in, once. Connections
// of monitors do not log in.
func TestConnectionsLogInFirst(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "secret"), mongotest.ReplicaSet(1))
	client := connect(t, d)
	d.ForgetCommands()
	for range 2 {
		if err := find(t, client); err != nil {
			t.Fatal(err)
		}
	}
	got := onConnectionsWith(d, "find")
	if len(got) != 1 || !slices.Equal(got[0], []string{"isMaster", "saslContinue", "find", "find"}) {
		t.Errorf("on connections of operations: %q", got)
	}
	if n := len(onConnectionsWith(d, "saslContinue")); n != 1 || len(onConnectionsWith(d, "saslStart")) != 0 {
		t.Errorf("%d connections log in", n)
	}
}

// Auth, "Reauthentication", and MONGODB-OIDC, "Reauthentication": a connection reauthenticates at once, without another
// hello.
func TestReauthenticationSendsNoHello(t *testing.T) {
	t.Run("SCRAM", func(t *testing.T) {
		d := mongotest.Start(t, mongotest.Auth("ada", "secret"))
		s := &oidcScene{t: t, d: d, admin: connect(t, d)}
		client := connect(t, d, &options.Client{AppName: new(oidcApp), RetryReads: new(false)})
		s.wantSuccess(find(t, client))
		s.fail("find", "errorCode", reauthenticationRequired)
		d.ForgetCommands()
		s.wantSuccess(find(t, client))
		if got := onConnectionsWith(d, "find"); len(got) != 1 ||
			!slices.Equal(got[0], []string{"find", "saslStart", "saslContinue", "find"}) {
			t.Errorf("arrived: %q", got)
		}
	})
	t.Run("MONGODB-OIDC", func(t *testing.T) {
		inOIDCScene(t, func(t *testing.T, s *oidcScene) {
			client := s.newMachineClient()
			s.wantSuccess(find(t, client))
			s.fail("find", "errorCode", reauthenticationRequired)
			s.d.ForgetCommands()
			s.wantSuccess(find(t, client))
			if got := onConnectionsWith(s.d, "find"); len(got) != 1 || !slices.Equal(got[0], []string{"find", "saslStart", "find"}) {
				t.Errorf("arrived: %q", got)
			}
		})
	})
}

// MONGODB-OIDC, "Speculative Authentication": a server that does not answer the authentication in the hello has not
// refused the token.
func TestOIDCSpeculationWithoutAnAnswerKeepsTheToken(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		s.fail("find", "closeConnection", true)
		s.wantFailure(find(t, client))
		s.wantCalls(1)
		s.d.ForgetCommands()
		s.wantSuccess(find(t, client))
		s.wantCalls(1)
		if n := s.saslStarts(); n != 1 {
			t.Errorf("%d saslStart", n)
		}
	}, mongotest.Version("4.2"))
}

// MONGODB-OIDC, "Credential Caching": connections call the callback one after another, but talk to the server at the
// same time.
func TestOIDCConnectionsLogInSideBySide(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newClient(&options.Credential{
			OIDCMachineCallback: func(ctx context.Context, args *options.OIDCArgs) (*options.OIDCCredential, error) {
				time.Sleep(time.Second) // in virtual time: both connections have said hello without a token
				return s.callback(ctx, args)
			},
		})
		s.failTimes(1, bson.Doc("failCommands", bson.A{"saslStart"}, "appName", oidcApp, "blockConnection", true, "blockTimeMS", 5000))
		began, took := time.Now(), make(chan time.Duration, 2)
		for range 2 {
			go func() {
				if err := find(t, client); err != nil {
					t.Error(err)
				}
				took <- time.Since(began)
			}()
		}
		if first, second := <-took, <-took; first > 2*time.Second || second < 5*time.Second {
			t.Errorf("one connection took %v, the other %v", first, second)
		}
		s.wantCalls(1)
	})
}

// MONGODB-OIDC, "Credential Caching": a connection invalidates the token that it used, but not a newer one in the
// cache.
func TestOIDCConnectionsRememberTheirTokens(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		done := make(chan error, 2)
		slowly := func(more ...any) bson.D {
			return bson.Doc(append([]any{"failCommands", bson.A{"find"}, "appName", oidcApp, "blockConnection", true, "blockTimeMS", 5000}, more...)...)
		}
		s.failTimes(2, slowly()) // two operations at the same time open two connections
		for range 2 {
			go func() { done <- find(t, client) }()
		}
		s.wantSuccess(errors.Join(<-done, <-done))
		s.wantCalls(1)
		s.failTimes(1, slowly("errorCode", reauthenticationRequired))
		go func() { done <- find(t, client) }()
		synctest.Wait()
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantSuccess(find(t, client)) // on the other connection
		s.wantCalls(2)
		s.wantSuccess(<-done)
		s.wantCalls(2)
	})
}

// failTimes makes the given number of commands of the clients under test fail.
func (s *oidcScene) failTimes(times int, data bson.D) {
	s.t.Helper()
	command := bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", times), "data", data)
	s.wantSuccess(s.admin.Database("admin").RunCommand(s.t.Context(), command).Err())
}

// records resolves one name to one host.
type records struct{ host string }

func (r records) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	return "", []*net.SRV{{Target: r.host + ".", Port: 27017}}, nil
}
func (r records) LookupTXT(context.Context, string) ([]string, error) { return nil, nil }

// MONGODB-OIDC, "MongoCredential Properties", ALLOWED_HOSTS: the list must allow the hosts in the SRV records, not the
// name that was looked up.
func TestOIDCHumanAllowedHostsAreThoseOfTheRecords(t *testing.T) {
	for allowed, works := range map[string]bool{"db.example.com": true, "cluster.example.com": false} {
		t.Run(allowed, func(t *testing.T) {
			inOIDCScene(t, func(t *testing.T, s *oidcScene) {
				client, err := mongo.Connect(t.Context(), "mongodb+srv://cluster.example.com/?tls=false", &options.Client{
					Dialer: s.d.Dialer(), Resolver: records{"db.example.com"}, ServerSelectionTimeout: new(time.Second),
					Auth: &options.Credential{
						AuthMechanism: new("MONGODB-OIDC"), OIDCHumanCallback: s.callback, OIDCAllowedHosts: []string{allowed},
					},
				})
				s.wantSuccess(err)
				defer client.Close(t.Context())
				err = find(t, client)
				if (err == nil) != works || !works && !strings.Contains(err.Error(), "allowed hosts") {
					t.Errorf("the error is %v", err)
				}
			}, mongotest.Listen("db.example.com", 27017))
		})
	}
}

// MONGODB-OIDC, "MongoCredential Properties": a callback is an option. A property of that name is refused.
func TestOIDCCallbacksCannotBeStrings(t *testing.T) {
	s := newOIDCScene(t)
	for _, property := range []string{"OIDC_CALLBACK", "OIDC_HUMAN_CALLBACK"} {
		for _, credential := range []*options.Credential{{}, {OIDCMachineCallback: s.callback}, {OIDCHumanCallback: s.callback}} {
			credential.AuthMechanismProperties = map[string]string{property: "callback"}
			if _, err := s.tryClient(credential); err == nil || !strings.Contains(err.Error(), property) {
				t.Errorf("%s: %v", property, err)
			}
		}
	}
}
