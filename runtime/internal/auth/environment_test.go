package auth_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/tools/mongotest"
)

// tokenServer accepts two tokens.
func tokenServer(t *testing.T, opts ...mongotest.Option) *mongotest.Deployment {
	return mongotest.Start(t, append(opts, mongotest.WithToken(mongotest.Token{JWT: "first", Principal: "ada@one"}),
		mongotest.WithToken(mongotest.Token{JWT: "second", Principal: "ada@one"}))...)
}

// oidcCredential completes a credential.
func oidcCredential(c options.Credential) *options.Credential {
	c.AuthMechanism, c.AuthSource = new("MONGODB-OIDC"), new("$external")
	return &c
}

// authenticateInEnvironment authenticates with the token of an environment.
func authenticateInEnvironment(t *testing.T, properties map[string]string, username *string, config auth.Config) error {
	t.Helper()
	a, err := auth.New(oidcCredential(options.Credential{Username: username, AuthMechanismProperties: properties}), config)
	if err != nil {
		return err
	}
	return authenticate(t, tokenServer(t), a)
}

// MONGODB-OIDC, "Built-in OIDC Environment Integrations": the environments that read files.
func TestTokenFiles(t *testing.T) {
	good, bad := filepath.Join(t.TempDir(), "good"), filepath.Join(t.TempDir(), "bad")
	for name, content := range map[string]string{good: " first\n", bad: "nobody's"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, environment string
		variables         []string
		works             bool
		says              string
	}{
		{"test", "test", []string{"OIDC_TOKEN_FILE", good}, true, ""},
		{"test, another token", "test", []string{"OIDC_TOKEN_FILE", bad}, false, "AuthenticationFailed"},
		{"test without a file", "test", nil, false, "variable OIDC_TOKEN_FILE is not set"},
		{"test, no such file", "test", []string{"OIDC_TOKEN_FILE", good + ".none"}, false, "good.none"},
		{"k8s on Azure", "k8s", []string{"AZURE_FEDERATED_TOKEN_FILE", good, "AWS_WEB_IDENTITY_TOKEN_FILE", bad}, true, ""},
		{"k8s on AWS", "k8s", []string{"AWS_WEB_IDENTITY_TOKEN_FILE", good}, true, ""},
		{"k8s", "k8s", nil, false, "/var/run/secrets/kubernetes.io/serviceaccount/token"},
		{"no environment", "moon", nil, false, `"moon" is not an environment`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := authenticateInEnvironment(t, map[string]string{"ENVIRONMENT": tt.environment}, nil,
				auth.Config{Web: forbidCloud(t), Getenv: environment(tt.variables...)})
			if works := err == nil; works != tt.works || !works && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("err = %v, want it to say %q", err, tt.says)
			}
			if strings.Contains(tt.says, "/") && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// MONGODB-OIDC, "Built-in OIDC Environment Integrations": the environments that ask a service.
func TestTokenServices(t *testing.T) {
	for _, tt := range []struct {
		name, environment string
		username          *string
		request           string
		header            http.Header
		answer            string
		says              string // empty if the token is accepted
	}{
		{"azure", "azure", nil, "GET 169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=api%3A%2F%2Fa+b",
			http.Header{"Accept": {"application/json"}, "Metadata": {"true"}}, `{"access_token":"first","expires_in":"9"}`, ""},
		{"azure for a client", "azure", new("me"),
			"GET 169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&client_id=me&resource=api%3A%2F%2Fa+b",
			nil, `{"access_token":"first"}`, ""},
		{"azure without a token", "azure", nil, "", nil, `{"access":"first"}`, "the answer of 169.254.169.254 has no access_token"},
		{"azure with an empty token", "azure", nil, "", nil, `{"access_token":""}`, "has no access_token"},
		{"azure without JSON", "azure", nil, "", nil, "first", "json"},
		{"gcp", "gcp", nil, "GET metadata/computeMetadata/v1/instance/service-accounts/default/identity?audience=api%3A%2F%2Fa+b",
			http.Header{"Metadata-Flavor": {"Google"}}, " first\n", ""},
		{"gcp has no name for a client", "gcp", new("me"),
			"GET metadata/computeMetadata/v1/instance/service-accounts/default/identity?audience=api%3A%2F%2Fa+b", nil, "first", ""},
		{"gcp, another token", "gcp", nil, "", nil, "third", "AuthenticationFailed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCloud(t, func(w http.ResponseWriter, r *http.Request) {
				for name, want := range tt.header {
					if !slices.Equal(r.Header[name], want) {
						t.Errorf("%s: %q, want %q", name, r.Header[name], want)
					}
				}
				io.WriteString(w, tt.answer)
			})
			err := authenticateInEnvironment(t, map[string]string{"ENVIRONMENT": tt.environment, "TOKEN_RESOURCE": "api://a b"}, tt.username,
				auth.Config{Web: c.client})
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.says)) {
				t.Errorf("err = %v, want it to say %q", err, tt.says)
			}
			if got := c.seen(); tt.request != "" && (len(got) == 0 || got[0] != tt.request) {
				t.Errorf("requests %q, want %q", got, tt.request)
			}
		})
	}
}
