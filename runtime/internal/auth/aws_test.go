package auth_test

import (
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

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/web"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The key that the server of these tests accepts, with and without a session token.
var (
	temporaryKey = mongotest.AWSKey{AccessKeyID: "AKIDTEMP", SecretAccessKey: "temporary/secret", SessionToken: "token==", ARN: "arn:temporary"}
	permanentKey = mongotest.AWSKey{AccessKeyID: "AKIDPERM", SecretAccessKey: "permanent/secret", ARN: "arn:permanent"}
)

// cloud plays the endpoints of a cloud. Its client sends every request here, for any host. The handler sees the host.
type cloud struct {
	client web.Client

	mu       sync.Mutex
	requests []string
}

func newCloud(t *testing.T, handler http.HandlerFunc) *cloud {
	t.Helper()
	c := &cloud{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.requests = append(c.requests, r.Method+" "+r.Host+r.URL.RequestURI())
		c.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	c.client = web.New(&http.Client{Transport: redirect{server}})
	return c
}

// seen is the number of requests so far.
func (c *cloud) seen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.requests...)
}

// redirect sends requests to a local server and keeps the name of the host.
type redirect struct{ to *httptest.Server }

func (r redirect) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Host = request.URL.Host
	request.URL.Scheme, request.URL.Host = "http", strings.TrimPrefix(r.to.URL, "http://")
	return r.to.Client().Transport.RoundTrip(request)
}

// forbidCloud fails a test that asks an endpoint.
func forbidCloud(t *testing.T) web.Client {
	return newCloud(t, func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was asked", r.Method, r.Host+r.URL.Path)
		w.WriteHeader(http.StatusTeapot)
	}).client
}

func keyJSON(key mongotest.AWSKey, tokenField string, expires time.Time) string {
	return fmt.Sprintf(`{"Code":"Success","AccessKeyId":%q,"SecretAccessKey":%q,%q:%q,"Expiration":%q}`,
		key.AccessKeyID, key.SecretAccessKey, tokenField, key.SessionToken, expires.UTC().Format(time.RFC3339))
}

func environment(pairs ...string) func(string) string {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

func awsServer(t *testing.T) *mongotest.Deployment {
	return mongotest.Start(t, mongotest.WithAWSKey(temporaryKey), mongotest.WithAWSKey(permanentKey))
}

func awsAuthenticator(t *testing.T, provider options.AWSCredentialProvider, config auth.Config) *auth.Authenticator {
	t.Helper()
	a, err := auth.New(&options.Credential{
		AuthMechanism: new("MONGODB-AWS"), AuthSource: new("$external"), AWSCredentialProvider: provider,
	}, config)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAWSRegularCredentials(t *testing.T) {
	a := awsAuthenticator(t, nil, auth.Config{Web: forbidCloud(t), Getenv: environment(
		"AWS_ACCESS_KEY_ID", permanentKey.AccessKeyID, "AWS_SECRET_ACCESS_KEY", permanentKey.SecretAccessKey)})
	if err := authenticate(t, awsServer(t), a); err != nil {
		t.Error(err)
	}
}

func TestAWSAssumeRole(t *testing.T) {
	a := awsAuthenticator(t, nil, auth.Config{Web: forbidCloud(t), Getenv: environment(
		"AWS_ACCESS_KEY_ID", temporaryKey.AccessKeyID, "AWS_SECRET_ACCESS_KEY", temporaryKey.SecretAccessKey,
		"AWS_SESSION_TOKEN", temporaryKey.SessionToken)})
	if err := authenticate(t, awsServer(t), a); err != nil {
		t.Error(err)
	}
}

func TestAWSLambdaEnvironment(t *testing.T) {
	for _, tc := range []struct {
		name, id, secret, token string
		works                   bool
	}{
		{"without a session token", permanentKey.AccessKeyID, permanentKey.SecretAccessKey, "", true},
		{"with a session token", temporaryKey.AccessKeyID, temporaryKey.SecretAccessKey, temporaryKey.SessionToken, true},
		{"a session token that is set is used", permanentKey.AccessKeyID, permanentKey.SecretAccessKey, "wrong", false},
		{"a wrong secret", permanentKey.AccessKeyID, "wrong", "", false},
		{"a key without its secret", permanentKey.AccessKeyID, "", "", false},
		{"a token alone", "", "", "token", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := awsAuthenticator(t, nil, auth.Config{Web: forbidCloud(t), Getenv: environment(
				"AWS_ACCESS_KEY_ID", tc.id, "AWS_SECRET_ACCESS_KEY", tc.secret, "AWS_SESSION_TOKEN", tc.token)})
			err := authenticate(t, awsServer(t), a)
			if tc.works != (err == nil) {
				t.Fatalf("err = %v, want success %v", err, tc.works)
			}
			if err != nil && tc.secret != "" && strings.Contains(err.Error(), tc.secret) {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestAWSEC2(t *testing.T) {
	c := newCloud(t, ec2(t, func() string { return keyJSON(temporaryKey, "Token", time.Now().Add(time.Hour)) }))
	a := awsAuthenticator(t, nil, auth.Config{Web: c.client})
	if err := authenticate(t, awsServer(t), a); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"PUT 169.254.169.254/latest/api/token",
		"GET 169.254.169.254/latest/meta-data/iam/security-credentials/",
		"GET 169.254.169.254/latest/meta-data/iam/security-credentials/the-role",
	}
	if got := c.seen(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("requests = %q", got)
	}
}

// ec2 is the metadata service of a virtual machine, version 2.
func ec2(t *testing.T, key func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			if r.Header.Get("X-aws-ec2-metadata-token-ttl-seconds") == "" {
				t.Error("the token has no time to live")
			}
			io.WriteString(w, "session")
			return
		}
		if r.Header.Get("X-aws-ec2-metadata-token") != "session" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/the-role") {
			io.WriteString(w, key())
			return
		}
		io.WriteString(w, "the-role\n")
	}
}

func TestAWSECS(t *testing.T) {
	c := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, keyJSON(temporaryKey, "Token", time.Now().Add(time.Hour)))
	})
	a := awsAuthenticator(t, nil, auth.Config{Web: c.client,
		Getenv: environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/123")})
	if err := authenticate(t, awsServer(t), a); err != nil {
		t.Fatal(err)
	}
	if got := c.seen(); len(got) != 1 || got[0] != "GET 169.254.170.2/v2/credentials/123" {
		t.Errorf("requests = %q", got)
	}
}

func TestAWSWebIdentity(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("web-identity"), 0o600); err != nil {
		t.Fatal(err)
	}
	flat := `{"Credentials":` + keyJSON(temporaryKey, "SessionToken", time.Now().Add(time.Hour)) + `}`
	wrapped := fmt.Sprintf(`{"AssumeRoleWithWebIdentityResponse":{"AssumeRoleWithWebIdentityResult":{"Credentials":
		{"AccessKeyId":%q,"SecretAccessKey":%q,"SessionToken":%q,"Expiration":%d.5}}}}`,
		temporaryKey.AccessKeyID, temporaryKey.SecretAccessKey, temporaryKey.SessionToken, time.Now().Add(time.Hour).Unix())
	for _, tc := range []struct{ name, session, answer string }{
		{"with a session name", "app1", flat},
		{"without a session name", "", flat},
		{"the service's own form", "app1", wrapped},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCloud(t, func(w http.ResponseWriter, r *http.Request) {
				r.ParseForm()
				session := r.Form.Get("RoleSessionName")
				if session == "" || tc.session != "" && session != tc.session {
					t.Errorf("RoleSessionName = %q", session)
				}
				if r.Form.Get("Action") != "AssumeRoleWithWebIdentity" || r.Form.Get("Version") != "2011-06-15" ||
					r.Form.Get("RoleArn") != "arn:role" || r.Form.Get("WebIdentityToken") != "web-identity" ||
					r.Header.Get("Accept") != "application/json" {
					t.Errorf("form = %v, header = %v", r.Form, r.Header)
				}
				io.WriteString(w, tc.answer)
			})
			a := awsAuthenticator(t, nil, auth.Config{Web: c.client, Getenv: environment(
				"AWS_WEB_IDENTITY_TOKEN_FILE", file, "AWS_ROLE_ARN", "arn:role", "AWS_ROLE_SESSION_NAME", tc.session)})
			if err := authenticate(t, awsServer(t), a); err != nil {
				t.Fatal(err)
			}
			if got := c.seen(); len(got) != 1 || got[0] != "POST sts.amazonaws.com/" {
				t.Errorf("requests = %q", got)
			}
		})
	}
}

// The driver caches keys that it fetched. MONGODB-AWS tests, "Cached Credentials".
func TestAWSCachesCredentials(t *testing.T) {
	good := keyJSON(temporaryKey, "Token", time.Now().Add(time.Hour))
	answer := good
	var mu sync.Mutex
	set := func(s string) { mu.Lock(); defer mu.Unlock(); answer = s }
	c := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		io.WriteString(w, answer)
	})
	values := map[string]string{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/k"}
	a := awsAuthenticator(t, nil, auth.Config{Web: c.client, Getenv: func(name string) string { return values[name] }})
	d := awsServer(t)
	try := func(step string, works bool, requests int) {
		t.Helper()
		before := len(c.seen())
		if err := authenticate(t, d, a); works != (err == nil) {
			t.Fatalf("%s: err = %v, want success %v", step, err, works)
		}
		if got := len(c.seen()) - before; got != requests {
			t.Fatalf("%s: %d requests, want %d", step, got, requests)
		}
	}
	set(keyJSON(temporaryKey, "Token", time.Now().Add(time.Minute)))
	try("the first attempt fetches", true, 1)
	poisoned := temporaryKey
	poisoned.AccessKeyID = "AKIDPOISON"
	set(keyJSON(poisoned, "Token", time.Now().Add(time.Hour)))
	try("keys that end within five minutes are fetched again; these are wrong", false, 1)
	set(good)
	try("the failure cleared the cache", true, 1)
	try("the cache is used", true, 0)
	values["AWS_ACCESS_KEY_ID"], values["AWS_SECRET_ACCESS_KEY"] = "invalid", "invalid"
	try("the cache precedes the environment", true, 0)
}

// The driver reads keys from the environment at each attempt and does not cache them.
func TestAWSDoesNotCacheTheEnvironment(t *testing.T) {
	values := map[string]string{
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/k",
		"AWS_ACCESS_KEY_ID":                      permanentKey.AccessKeyID, "AWS_SECRET_ACCESS_KEY": permanentKey.SecretAccessKey,
	}
	c := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, keyJSON(temporaryKey, "Token", time.Now().Add(time.Hour)))
	})
	a := awsAuthenticator(t, nil, auth.Config{Web: c.client, Getenv: func(name string) string { return values[name] }})
	d := awsServer(t)
	if err := authenticate(t, d, a); err != nil || len(c.seen()) != 0 {
		t.Fatalf("keys of the environment: %v, requests %q", err, c.seen())
	}
	values["AWS_SECRET_ACCESS_KEY"] = "invalid"
	if err := authenticate(t, d, a); err == nil {
		t.Fatal("keys of the environment were cached")
	}
	delete(values, "AWS_ACCESS_KEY_ID")
	delete(values, "AWS_SECRET_ACCESS_KEY")
	if err := authenticate(t, d, a); err != nil || len(c.seen()) != 1 {
		t.Fatalf("without the environment: %v, requests %q", err, c.seen())
	}
}

// Custom Credential Provider Authenticates: the provider replaces every other way to get keys.
func TestAWSProviderAuthenticates(t *testing.T) {
	for name, key := range map[string]mongotest.AWSKey{"regular": permanentKey, "temporary": temporaryKey} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			a := awsAuthenticator(t, newProvider(key, &calls), auth.Config{Web: forbidCloud(t)})
			if err := authenticate(t, awsServer(t), a); err != nil || calls != 1 {
				t.Errorf("err = %v after %d calls", err, calls)
			}
		})
	}
	t.Run("an error of the provider", func(t *testing.T) {
		broken := errors.New("no keys today")
		a := awsAuthenticator(t, func(context.Context) (options.AWSCredentials, error) {
			return options.AWSCredentials{}, broken
		}, auth.Config{Web: forbidCloud(t)})
		if err := authenticate(t, awsServer(t), a); !errors.Is(err, broken) {
			t.Errorf("err = %v", err)
		}
	})
}

// Custom Provider Takes Precedence Over Environment Variables.
func TestAWSProviderPrecedesTheEnvironment(t *testing.T) {
	calls := 0
	a := awsAuthenticator(t, newProvider(temporaryKey, &calls), auth.Config{Web: forbidCloud(t), Getenv: environment(
		"AWS_ACCESS_KEY_ID", "invalid", "AWS_SECRET_ACCESS_KEY", "invalid")})
	if err := authenticate(t, awsServer(t), a); err != nil || calls != 1 {
		t.Errorf("err = %v after %d calls", err, calls)
	}
}

func newProvider(key mongotest.AWSKey, calls *int) options.AWSCredentialProvider {
	return func(context.Context) (options.AWSCredentials, error) {
		*calls++
		return options.AWSCredentials{
			AccessKeyID: key.AccessKeyID, SecretAccessKey: key.SecretAccessKey, SessionToken: key.SessionToken,
		}, nil
	}
}

func TestAWSEndpointFailures(t *testing.T) {
	for _, tc := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"a refusal", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }},
		{"no keys", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"Code":"Failed"}`) }},
		{"an expiration that is no time", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"AccessKeyId":"a","SecretAccessKey":"b","Expiration":"soon"}`)
		}},
		{"an endless answer", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat(" ", 2<<20))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCloud(t, tc.handler)
			a := awsAuthenticator(t, nil, auth.Config{Web: c.client,
				Getenv: environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "k")})
			err := authenticate(t, awsServer(t), a)
			var failed fault.AuthError
			if !errors.As(err, &failed) || fault.HasErrorCode(err, errcode.AuthenticationFailed) {
				t.Errorf("err = %v, want an AuthError of the client's own", err)
			}
		})
	}
}

// MONGODB-AWS, "Credential Fetching Order": each source is asked only if the sources before it have no keys.
func TestAWSKeysAreLookedForInOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("web-identity"), 0o600); err != nil {
		t.Fatal(err)
	}
	variables := []string{
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/k", "AWS_WEB_IDENTITY_TOKEN_FILE", file, "AWS_ROLE_ARN", "arn:role",
		"AWS_ACCESS_KEY_ID", permanentKey.AccessKeyID, "AWS_SECRET_ACCESS_KEY", permanentKey.SecretAccessKey,
	}
	for _, tt := range []struct {
		source string
		set    int // how many of the variables
		asked  string
	}{
		{"the machine", 0, "PUT 169.254.169.254/latest/api/token"}, {"the container", 2, "GET 169.254.170.2/k"},
		{"a token without a role", 4, "GET 169.254.170.2/k"}, {"web identity", 6, "POST sts.amazonaws.com/"},
		{"the environment", 10, ""},
	} {
		t.Run(tt.source, func(t *testing.T) {
			c := newCloud(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
			keys := auth.NewAWSKeys(nil, c.client, environment(variables[:tt.set]...))
			_, err := keys.CurrentKeys(t.Context())
			if got := strings.Join(c.seen(), ", "); got != tt.asked || (err == nil) != (tt.asked == "") {
				t.Errorf("%q was asked, %v", got, err)
			}
		})
	}
}
