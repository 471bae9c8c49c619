package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Machine flow, 1.1 Callback is called during authentication.
func TestOIDCMachineCallbackIsCalled(t *testing.T) {
	s := newOIDCScene(t)
	s.wantSuccess(find(t, s.newMachineClient()))
	s.wantCalls(1)
}

// Machine flow, 1.2 Callback is called once for multiple connections.
func TestOIDCMachineCallbackIsCalledOnce(t *testing.T) {
	s := newOIDCScene(t)
	client := s.newMachineClient()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 100 {
				if err := find(t, client); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	s.wantCalls(1)
}

// Machine flow, 2.1 Valid Callback Inputs.
func TestOIDCMachineCallbackInputs(t *testing.T) {
	s := newOIDCScene(t)
	client := s.newClient(&options.Credential{OIDCMachineCallback: s.callback, Username: new("somebody")})
	s.wantSuccess(find(t, client))
	s.wantCalls(1)
	args := s.args[0]
	if args.Version != 1 || args.Username == nil || *args.Username != "somebody" || args.IDPInfo != nil || args.RefreshToken != nil {
		t.Errorf("args = %+v", args)
	}
}

// Machine flow, 2.2 OIDC Callback Returns Null.
func TestOIDCMachineCallbackReturnsNil(t *testing.T) {
	s := newOIDCScene(t)
	client := s.newClient(&options.Credential{
		OIDCMachineCallback: func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) { return nil, nil },
	})
	s.wantFailure(find(t, client))
}

// Machine flow, 2.3 OIDC Callback Returns Missing Data.
func TestOIDCMachineCallbackReturnsNoToken(t *testing.T) {
	s := newOIDCScene(t)
	s.tokens = []string{""}
	s.wantFailure(find(t, s.newMachineClient()))
}

// Machine flow, 2.4 Invalid Client Configuration with Callback.
func TestOIDCMachineCallbackExcludesEnvironment(t *testing.T) {
	s := newOIDCScene(t)
	_, err := s.tryClient(&options.Credential{
		OIDCMachineCallback: s.callback, AuthMechanismProperties: map[string]string{"ENVIRONMENT": "test"},
	})
	s.wantFailure(err)
}

// Machine flow, 2.5 Invalid use of ALLOWED_HOSTS.
func TestOIDCMachineTakesNoAllowedHosts(t *testing.T) {
	s := newOIDCScene(t)
	_, err := s.tryClient(&options.Credential{
		OIDCAllowedHosts:        []string{},
		AuthMechanismProperties: map[string]string{"ENVIRONMENT": "azure", "TOKEN_RESOURCE": "api://x"},
	})
	s.wantFailure(err)
}

// Machine flow, 3.1 Authentication failure with cached tokens fetch a new token and retry auth. The cache is poisoned
// by revoking the token that is in it.
func TestOIDCMachineFetchesANewTokenWhenTheCachedOneIsRefused(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		s.wantSuccess(find(t, client))
		s.d.RevokeToken("first")
		s.fail("find", "closeConnection", true)
		s.wantFailure(find(t, client))
		s.wantCalls(1)
		s.wantSuccess(find(t, client))
		s.wantCalls(2)
	})
}

// Machine flow, 3.2 Authentication failures without cached tokens return an error.
func TestOIDCMachineFreshTokenThatIsRefusedIsAnError(t *testing.T) {
	s := newOIDCScene(t)
	s.tokens = []string{"bad"}
	s.wantFailure(find(t, s.newMachineClient()))
	s.wantCalls(1)
}

// Machine flow, 3.3 Unexpected error code does not clear the cache.
func TestOIDCMachineOtherErrorsKeepTheCache(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		s.fail("saslStart", "errorCode", 20)
		s.wantFailure(find(t, client))
		s.wantCalls(1)
		s.wantSuccess(find(t, client))
		s.wantCalls(1)
	})
}

// Machine flow, 4.1 Reauthentication Succeeds.
func TestOIDCMachineReauthenticates(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantSuccess(find(t, client))
		s.wantCalls(2)
	})
}

// Machine flow, 4.2 Read Commands Fail If Reauthentication Fails.
func TestOIDCMachineReadFailsIfReauthenticationFails(t *testing.T) {
	failsToReauthenticate(t, "find", find)
}

// Machine flow, 4.3 Write Commands Fail If Reauthentication Fails.
func TestOIDCMachineWriteFailsIfReauthenticationFails(t *testing.T) {
	failsToReauthenticate(t, "insert", insert)
}

func failsToReauthenticate(t *testing.T, command string, run func(*testing.T, *mongo.Client) error) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		s.tokens = []string{"first", "bad"}
		client := s.newMachineClient()
		s.wantSuccess(run(t, client))
		s.fail(command, "errorCode", reauthenticationRequired)
		s.wantFailure(run(t, client))
		s.wantCalls(2)
	})
}

// Machine flow, 4.4 Speculative Authentication should be ignored on Reauthentication. The first connection fills the
// cache; the second is the one under test.
func TestOIDCMachineReauthenticationDoesNotSpeculate(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		s.fail("find", "closeConnection", true)
		s.wantFailure(find(t, client))
		s.wantCalls(1)
		s.d.ForgetCommands()
		s.wantSuccess(insert(t, client))
		s.wantCalls(1)
		if n := s.saslStarts(); n != 0 {
			t.Errorf("%d saslStart although the token travelled with the hello", n)
		}
		s.fail("insert", "errorCode", reauthenticationRequired)
		s.wantSuccess(insert(t, client))
		s.wantCalls(2)
		if n := s.saslStarts(); n != 1 {
			t.Errorf("%d saslStart for the reauthentication", n)
		}
	})
}

// Machine flow, 5.1 Azure With No Username, and the same with the name of a client.
func TestOIDCMachineAzure(t *testing.T) {
	for name, username := range map[string]*string{"without a username": nil, "with a username": new("client")} {
		t.Run(name, func(t *testing.T) {
			s := newOIDCScene(t)
			client := s.newAzureClient(username)
			s.wantSuccess(find(t, client))
		})
	}
}

// Machine flow, 5.2 Azure with Bad Username.
func TestOIDCMachineAzureBadUsername(t *testing.T) {
	s := newOIDCScene(t)
	err := find(t, s.newAzureClient(new("bad")))
	s.wantFailure(err)
	if !strings.Contains(err.Error(), "no such client") {
		t.Errorf("the error does not show the answer: %v", err)
	}
}

func (s *oidcScene) newAzureClient(username *string) *mongo.Client {
	return s.newClient(&options.Credential{
		Username:                username,
		AuthMechanismProperties: map[string]string{"ENVIRONMENT": "azure", "TOKEN_RESOURCE": "api://a b"},
	}, &options.Client{HTTPClient: metadataService(s.t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case r.Host != "169.254.169.254" || r.URL.Path != "/metadata/identity/oauth2/token" || r.Header.Get("Metadata") != "true" ||
			r.Header.Get("Accept") != "application/json" || q.Get("resource") != "api://a b" || q.Get("api-version") == "" ||
			q.Has("client_id") != (username != nil):
			s.t.Errorf("request %s %s %v", r.Host, r.URL, r.Header)
		case q.Get("client_id") == "bad":
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, "no such client")
		default:
			io.WriteString(w, `{"access_token":"first","refresh_token":"","expires_in":"3599","token_type":"Bearer"}`)
		}
	})})
}

// The environment gcp.
func TestOIDCMachineGCP(t *testing.T) {
	s := newOIDCScene(t)
	s.wantSuccess(find(t, s.newClient(&options.Credential{
		AuthMechanismProperties: map[string]string{"ENVIRONMENT": "gcp", "TOKEN_RESOURCE": "api://x"},
	}, &options.Client{HTTPClient: metadataService(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "metadata" || r.Header.Get("Metadata-Flavor") != "Google" || r.URL.Query().Get("audience") != "api://x" {
			t.Errorf("request %s %s %v", r.Host, r.URL, r.Header)
		}
		io.WriteString(w, "first")
	})})))
}

// The environments test and k8s, which read files. The file of one variable takes precedence over the next.
func TestOIDCMachineTokenFiles(t *testing.T) {
	for _, tc := range []struct{ environment, variable string }{
		{"test", "OIDC_TOKEN_FILE"}, {"k8s", "AZURE_FEDERATED_TOKEN_FILE"}, {"k8s", "AWS_WEB_IDENTITY_TOKEN_FILE"},
	} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(file, []byte("first\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv(tc.variable, file)
			s := newOIDCScene(t)
			s.wantSuccess(find(t, s.newClient(&options.Credential{
				AuthMechanismProperties: map[string]string{"ENVIRONMENT": tc.environment},
			})))
		})
	}
}

// metadataService returns a client that sends every request to the handler. The handler sees the host that was meant.
func metadataService(t *testing.T, handler http.HandlerFunc) *http.Client {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &http.Client{Transport: toServer{server}}
}

type toServer struct{ *httptest.Server }

func (s toServer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Host = request.URL.Host
	request.URL.Scheme, request.URL.Host = "http", s.Listener.Addr().String()
	return s.Client().Transport.RoundTrip(request)
}

// Machine flow, 4.5 Reauthentication Succeeds when a Session is involved: the command goes out again in the same
// session, here the implicit one of the cursor.
func TestOIDCMachineReauthenticatesWithinASession(t *testing.T) {
	inOIDCScene(t, func(t *testing.T, s *oidcScene) {
		client := s.newMachineClient()
		s.fail("find", "errorCode", reauthenticationRequired)
		s.wantSuccess(find(t, client))
		s.wantCalls(2)
		sent := commandsNamed(s.d, "find")
		if len(sent) != 2 {
			t.Fatalf("%d find commands", len(sent))
		}
		first, again := sent[0].Body.Lookup("lsid", "id"), sent[1].Body.Lookup("lsid", "id")
		if first.IsZero() || !bytes.Equal(first.Value, again.Value) {
			t.Errorf("the sessions are %v and %v", first, again)
		}
	}, mongotest.ReplicaSet(1))
}

// MONGODB-OIDC, "OIDC Callback": under timeoutMS, the time of a callback is the smaller of what is left of timeoutMS
// and of connectTimeoutMS. That is also true for a timeout of the operation alone, and for a reauthentication.
func TestOIDCMachineCallbackHasTheTimeOfTheOperation(t *testing.T) {
	for _, tt := range []struct {
		name     string
		timeout  *time.Duration
		at, most time.Duration
	}{
		{"without timeoutMS", nil, 50 * time.Second, time.Minute},
		{"a timeoutMS beyond connectTimeoutMS", new(time.Hour), time.Second, 10 * time.Second},
		{"a shorter timeoutMS", new(5 * time.Second), 0, 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inOIDCScene(t, func(t *testing.T, s *oidcScene) {
				var left []time.Duration
				client := s.newClient(&options.Credential{OIDCMachineCallback: func(ctx context.Context, args *options.OIDCArgs) (
					*options.OIDCCredential, error,
				) {
					deadline, _ := ctx.Deadline()
					left = append(left, time.Until(deadline))
					return s.callback(ctx, args)
				}})
				s.fail("find", "errorCode", reauthenticationRequired)
				o := &options.FindOne{Timeout: tt.timeout}
				if err := client.Database("test").Collection("test").FindOne(t.Context(), bson.D{}, o).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
					t.Fatal(err)
				}
				if len(left) != 2 {
					t.Fatalf("the callback was called %d times", len(left))
				}
				for i, left := range left {
					if left < tt.at || left > tt.most {
						t.Errorf("call %d had %v, want %v at most", i, left, tt.most)
					}
				}
			})
		})
	}
}
