package auth

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// countingService is a metadata service that puts the number of its requests into each answer.
type countingService struct {
	form string
	seen int
}

func (a *countingService) RoundTrip(*http.Request) (*http.Response, error) {
	a.seen++
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(fmt.Sprintf(a.form, a.seen)))}, nil
}

// MONGODB-OIDC, "Built-in OIDC Environment Integrations": the callbacks cache nothing. The driver caches their tokens
// as it caches those of a program's callback.
func TestCallbacksOfEnvironmentsKeepNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for _, tt := range []struct{ environment, form string }{
		{"azure", `{"access_token":"token %d","expires_in":"3599"}`}, {"gcp", "token %d"}, {"test", ""}, {"k8s", ""},
	} {
		t.Run(tt.environment, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := &countingService{form: tt.form}
				properties := map[string]string{"ENVIRONMENT": tt.environment}
				if tt.form != "" {
					properties["TOKEN_RESOURCE"] = "api://shop"
				}
				m, err := newOIDC("MONGODB-OIDC", "$external", &options.Credential{AuthMechanismProperties: properties}, Config{
					Web: web.New(&http.Client{Transport: service}), Getenv: func(string) string { return file },
				})
				if err != nil {
					t.Fatal(err)
				}
				for i := range 2 {
					want := fmt.Sprintf("token %d", i+1)
					if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
						t.Fatal(err)
					}
					for _, cached := range []bool{false, true} {
						token, fromCache, err := m.tokens.get(t.Context(), m.args())
						if err != nil || token != want || fromCache != cached {
							t.Errorf("got %q, %t, %v, want %q, %t", token, fromCache, err, want, cached)
						}
					}
					m.tokens.invalidate(want)
				}
				if tt.form != "" && service.seen != 2 {
					t.Errorf("%d requests", service.seen)
				}
			})
		})
	}
}

// MONGODB-OIDC, the environment k8s: a file that a variable names comes before the default file.
func TestFilesOfTokens(t *testing.T) {
	e := &oidcEnvironment{config: Config{Getenv: func(string) string { return "" }}}
	e.rules.FileVariables = []string{"A", "B"}
	if _, err := e.read(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "A or B") {
		t.Errorf("without a variable: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"A", "B", "default"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e.rules.DefaultFile = filepath.Join(dir, "default")
	for _, tt := range []struct{ set, want string }{{"", "default"}, {"B", "B"}, {"A", "A"}, {"AB", "A"}} {
		e.config.Getenv = func(name string) string {
			if strings.Contains(tt.set, name) {
				return filepath.Join(dir, name)
			}
			return ""
		}
		if got, err := e.read(t.Context(), nil); err != nil || got.AccessToken != tt.want {
			t.Errorf("%q is set: %v, %v", tt.set, got, err)
		}
	}
}
