package mongo_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// The tests of key management services against services in memory. They are prose tests of
// client-side-encryption/tests/README.md, by their numbers.

// masterKeys returns a master key for each provider.
func masterKeys() map[string]bson.D {
	return map[string]bson.D{
		"aws":   bson.Doc("region", "us-east-1", "key", "arn:aws:kms:us-east-1:579766882180:key/89fcc2c4-08b0-4bd9-9f25-e30687b580d0"),
		"azure": bson.Doc("keyVaultEndpoint", "drivers-3392-key-vault.vault.azure.net", "keyName", "drivers-3392-keyname"),
		"gcp":   bson.Doc("projectId", "devprod-drivers", "location", "global", "keyRing", "key-ring-csfle", "keyName", "key-name-csfle"),
		"kmip":  {},
		"local": nil,
	}
}

var remoteProviders = []string{"aws", "azure", "gcp", "kmip"}

// withServices returns options with all providers of a mock server.
func withServices(s *kmstest.Server) *options.ClientEncryption {
	providers := s.Providers(remoteProviders...)
	maps.Copy(providers, localKMS())
	return &options.ClientEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: providers, TLSConfig: s.TLS(remoteProviders...), KMSConnectCallback: s.Connect,
	}
}

func newEncryption(t *testing.T, client *mongo.Client, o *options.ClientEncryption) *mongo.ClientEncryption {
	t.Helper()
	e, err := mongo.NewClientEncryption(client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(t.Context()) })
	return e
}

func vaultClient(t *testing.T, opts ...*options.Client) *mongo.Client {
	t.Helper()
	return connect(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")), opts...)
}

func deterministic(id bson.UUID) *options.Encrypt {
	return &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmDeterministic}
}

// Prose test 16, case 1.
func TestRewrapBetweenAllProviders(t *testing.T) {
	s := kmstest.Start(t)
	for from, fromKey := range masterKeys() {
		for to, toKey := range masterKeys() {
			t.Run(from+" to "+to, func(t *testing.T) {
				client := vaultClient(t)
				first := newEncryption(t, client, withServices(s))
				o := &options.DataKey{}
				if fromKey != nil {
					o.MasterKey = fromKey
				}
				id, err := first.CreateDataKey(t.Context(), from, o)
				if err != nil {
					t.Fatal(err)
				}
				sealed, err := first.Encrypt(t.Context(), "test", deterministic(id))
				if err != nil {
					t.Fatal(err)
				}
				second := newEncryption(t, client, withServices(s))
				rewrap := &options.RewrapManyDataKey{Provider: &to}
				if toKey != nil {
					rewrap.MasterKey = toKey
				}
				result, err := second.RewrapManyDataKey(t.Context(), bson.D{}, rewrap)
				if err != nil || result.BulkWriteResult.ModifiedCount != 1 {
					t.Fatalf("%+v, %v", result, err)
				}
				key, err := second.GetKey(t.Context(), id).Raw()
				if provider, _ := key.Lookup("masterKey", "provider").StringOK(); err != nil || provider != to {
					t.Errorf("the key is %s, %v", key, err)
				}
				third := newEncryption(t, client, withServices(s))
				for _, e := range []*mongo.ClientEncryption{first, second, third} {
					if got, err := e.Decrypt(t.Context(), sealed); err != nil || got.String() != `"test"` {
						t.Errorf("decrypted %s, %v", got, err)
					}
				}
				again, err := third.Encrypt(t.Context(), "test", deterministic(id))
				if err != nil || string(again.Data) != string(sealed.Data) {
					t.Errorf("encrypted again: %x, %v", again.Data, err)
				}
			})
		}
	}
}

func TestDelegatedKMIP(t *testing.T) {
	s := kmstest.Start(t)
	e := newEncryption(t, vaultClient(t), withServices(s))
	id, err := e.CreateDataKey(t.Context(), "kmip", &options.DataKey{MasterKey: bson.Doc("delegated", true)})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := e.Encrypt(t.Context(), "test", deterministic(id))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Decrypt(t.Context(), sealed); err != nil || got.String() != `"test"` {
		t.Errorf("decrypted %s, %v", got, err)
	}
	for _, r := range s.Requests() {
		if r.Operation == "Get" {
			t.Error("the key left the server")
		}
	}
}

// Prose test 24.
func TestKMSRetries(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"aws", "azure", "gcp"} {
		for _, test := range []struct {
			name  string
			fault func(s *kmstest.Server, n int)
		}{
			{"case 1, network", func(s *kmstest.Server, n int) { s.Break(n) }},
			{"case 2, HTTP", func(s *kmstest.Server, n int) { s.Fail(n, http.StatusTooManyRequests) }},
		} {
			t.Run(provider+" "+test.name, func(t *testing.T) {
				t.Parallel()
				s := kmstest.Start(t)
				e := newEncryption(t, vaultClient(t), withServices(s))
				test.fault(s, 1)
				id, err := e.CreateDataKey(t.Context(), provider, &options.DataKey{MasterKey: masterKeys()[provider]})
				if err != nil {
					t.Fatal(err)
				}
				test.fault(s, 1)
				if _, err := e.Encrypt(t.Context(), int32(123), deterministic(id)); err != nil {
					t.Fatal(err)
				}
			})
		}
		t.Run(provider+" case 3, too many", func(t *testing.T) {
			t.Parallel()
			s := kmstest.Start(t)
			e := newEncryption(t, vaultClient(t), withServices(s))
			s.Break(4)
			_, err := e.CreateDataKey(t.Context(), provider, &options.DataKey{MasterKey: masterKeys()[provider]})
			if err == nil || !strings.Contains(err.Error(), "after maximum of 3 retries") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A request that a retry cannot help is not retried.
func TestKMSDoesNotRetryARefusal(t *testing.T) {
	s := kmstest.Start(t)
	e := newEncryption(t, vaultClient(t), withServices(s))
	s.Fail(1, http.StatusBadRequest)
	_, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]})
	if err == nil || !strings.Contains(err.Error(), "HTTP status=400") || len(s.Requests()) != 1 {
		t.Errorf("got %v after %d requests", err, len(s.Requests()))
	}
}

// The deadline of the operation ends the wait for a service that does not answer.
func TestKMSRequestsEndWithTheDeadline(t *testing.T) {
	s := kmstest.Start(t)
	for _, provider := range remoteProviders {
		t.Run(provider, func(t *testing.T) {
			o := withServices(s)
			o.Timeout = new(50 * time.Millisecond)
			e := newEncryption(t, vaultClient(t), o)
			s.Hang(1)
			if _, err := e.CreateDataKey(t.Context(), provider, &options.DataKey{MasterKey: masterKeys()[provider]}); !mongo.IsTimeout(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Prose test 26.
func TestAWSCredentialProviderOfEncryption(t *testing.T) {
	s := kmstest.Start(t)
	settings := s.Providers("aws")["aws"]
	calls := 0
	provider := func(context.Context) (options.AWSCredentials, error) {
		calls++
		return options.AWSCredentials{AccessKeyID: settings["accessKeyId"].(string), SecretAccessKey: settings["secretAccessKey"].(string)}, nil
	}
	client := vaultClient(t)
	o := withServices(s)
	o.AWSCredentialProvider = provider
	if _, err := mongo.NewClientEncryption(client, o); err == nil {
		t.Error("case 1: no error")
	}
	o.KMSProviders["aws"] = map[string]any{}
	e := newEncryption(t, client, o)
	if _, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]}); err != nil || calls == 0 {
		t.Errorf("case 2: %v after %d calls", err, calls)
	}
	auto := &options.AutoEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: s.Providers("aws"), AWSCredentialProvider: provider,
	}
	if _, err := mongo.Connect(t.Context(), "mongodb://localhost", &options.Client{AutoEncryption: (*mongo.AutoEncryption)(auto)}); err == nil {
		t.Error("case 3: no error")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "wrong")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	if _, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]}); err != nil {
		t.Errorf("case 4: %v", err)
	}
}

// answers returns an HTTP client that answers every request in the same way.
func answers(status int, body string, check func(*http.Request) error) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if check != nil {
			if err := check(r); err != nil {
				return nil, err
			}
		}
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Prose test 28, cases 4 to 6.
func TestKMSConnectCallback(t *testing.T) {
	t.Parallel()
	s := kmstest.Start(t)
	create := func(t *testing.T, connect options.KMSConnectCallback, timeout *time.Duration) error {
		o := withServices(s)
		o.KMSConnectCallback = connect
		e := newEncryption(t, vaultClient(t, &options.Client{Timeout: timeout}), o)
		_, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]})
		return err
	}
	refused := errors.New("refused")
	t.Run("case 4: error", func(t *testing.T) {
		if err := create(t, func(context.Context, string) (net.Conn, error) { return nil, refused }, nil); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("case 5: timeout", func(t *testing.T) {
		var deadline time.Time
		err := create(t, func(ctx context.Context, address string) (net.Conn, error) {
			deadline, _ = ctx.Deadline()
			return s.Connect(ctx, address)
		}, new(20*time.Second))
		if left := time.Until(deadline); err != nil || left <= 0 || left > 20*time.Second {
			t.Errorf("%v left, %v", left, err)
		}
	})
	t.Run("case 6: retry", func(t *testing.T) {
		calls, to := 0, ""
		err := create(t, func(ctx context.Context, address string) (net.Conn, error) {
			if calls, to = calls+1, address; calls == 1 {
				return nil, refused
			}
			return s.Connect(ctx, address)
		}, nil)
		if err != nil || calls != 2 || to != "kms.us-east-1.amazonaws.com:443" {
			t.Errorf("%d calls to %s, %v", calls, to, err)
		}
	})
}

// Prose test 10, and the option that prose test 11 forbids.
func TestKMSVerifiesCertificates(t *testing.T) {
	s := kmstest.Start(t)
	for _, provider := range remoteProviders {
		t.Run(provider, func(t *testing.T) {
			o := withServices(s)
			delete(o.TLSConfig, provider)
			e := newEncryption(t, vaultClient(t), o)
			_, err := e.CreateDataKey(t.Context(), provider, &options.DataKey{MasterKey: masterKeys()[provider]})
			if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
				t.Errorf("an unknown authority: %v", err)
			}
		})
	}
	o := withServices(s)
	o.TLSConfig["aws"] = &tls.Config{InsecureSkipVerify: true}
	if _, err := mongo.NewClientEncryption(vaultClient(t), o); err == nil || !strings.Contains(err.Error(), "Insecure TLS options prohibited") {
		t.Errorf("got %v", err)
	}
}

// Prose test 11, case 6: named providers have TLS settings of their own.
func TestNamedProvidersHaveTheirOwnTLS(t *testing.T) {
	s := kmstest.Start(t)
	for _, provider := range remoteProviders {
		t.Run(provider, func(t *testing.T) {
			good, bad := provider+":good", provider+":bad"
			o := withServices(s)
			o.KMSProviders = s.Providers(good, bad)
			o.TLSConfig = s.TLS(good)
			e := newEncryption(t, vaultClient(t), o)
			if _, err := e.CreateDataKey(t.Context(), good, &options.DataKey{MasterKey: masterKeys()[provider]}); err != nil {
				t.Error(err)
			}
			if _, err := e.CreateDataKey(t.Context(), bad, &options.DataKey{MasterKey: masterKeys()[provider]}); err == nil {
				t.Error("the other provider trusts the server")
			}
		})
	}
}
