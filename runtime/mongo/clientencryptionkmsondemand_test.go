package mongo_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// Prose test 15.
func TestOnDemandAWSCredentials(t *testing.T) {
	s := kmstest.Start(t)
	o := withServices(s)
	settings := o.KMSProviders["aws"]
	o.KMSProviders["aws"] = map[string]any{}
	o.HTTPClient = answers(http.StatusNotFound, "", nil)
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	e := newEncryption(t, vaultClient(t), o)
	if _, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]}); err == nil {
		t.Error("case 1: no error")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", settings["accessKeyId"].(string))
	t.Setenv("AWS_SECRET_ACCESS_KEY", settings["secretAccessKey"].(string))
	if _, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]}); err != nil {
		t.Errorf("case 2: %v", err)
	}
}

// Prose tests 18 and 19, case 1: every bad answer of Azure's metadata service is an error.
func TestBadAnswersOfAzureIMDSAreErrors(t *testing.T) {
	const secret = "magic-cookie"
	for _, test := range []struct {
		name, body, want string
		status           int
	}{
		{"case 1: success", `{"access_token": "` + secret + `", "expires_in": "70"}`, "HTTP status=401", http.StatusOK},
		{"case 2: empty JSON", `{}`, "lacks access_token", http.StatusOK},
		{"case 3: bad JSON", `a'[`, "not a JSON object", http.StatusOK},
		{"case 4: HTTP 404", `nothing here`, "HTTP status=404", http.StatusNotFound},
		{"case 5: HTTP 500", `broken`, "HTTP status=500", http.StatusInternalServerError},
		{"no number", `{"access_token": "` + secret + `", "expires_in": "soon"}`, "valid expires_in", http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := kmstest.Start(t)
			o := withServices(s)
			o.KMSProviders["azure"] = map[string]any{}
			o.HTTPClient = answers(test.status, test.body, func(r *http.Request) error {
				if r.URL.Host != "169.254.169.254" || r.Header.Get("Metadata") != "true" || r.URL.Query().Get("resource") != "https://vault.azure.net" ||
					r.URL.Query().Get("api-version") != "2018-02-01" {
					return fmt.Errorf("a wrong request %s", r.URL)
				}
				return nil
			})
			e := newEncryption(t, vaultClient(t), o)
			_, err := e.CreateDataKey(t.Context(), "azure", &options.DataKey{MasterKey: masterKeys()["azure"]})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// Prose test 18, case 6: the deadline ends the wait for a slow answer.
func TestSlowAzureIMDSEndsWithTheDeadline(t *testing.T) {
	s := kmstest.Start(t)
	o := withServices(s)
	o.KMSProviders["azure"] = map[string]any{}
	o.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})}
	o.Timeout = new(50 * time.Millisecond)
	e := newEncryption(t, vaultClient(t), o)
	_, err := e.CreateDataKey(t.Context(), "azure", &options.DataKey{MasterKey: masterKeys()["azure"]})
	if !mongo.IsTimeout(err) {
		t.Errorf("got %v", err)
	}
}

// Prose test 17, case 1, and the answers of a machine of Google Cloud.
func TestOnDemandGCPCredentials(t *testing.T) {
	for _, test := range []struct {
		name, body, want string
		status           int
	}{
		{"case 1: failure", "no", "HTTP status=404", http.StatusNotFound},
		{"no token", `{"token": "x"}`, "lacks access_token", http.StatusOK},
		{"a token", `{"access_token": "x"}`, "HTTP status=401", http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := kmstest.Start(t)
			o := withServices(s)
			o.KMSProviders["gcp"] = map[string]any{}
			o.HTTPClient = answers(test.status, test.body, func(r *http.Request) error {
				if r.Header.Get("Metadata-Flavor") != "Google" {
					return errors.New("no Metadata-Flavor")
				}
				return nil
			})
			e := newEncryption(t, vaultClient(t), o)
			_, err := e.CreateDataKey(t.Context(), "gcp", &options.DataKey{MasterKey: masterKeys()["gcp"]})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
