package kmstest

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

// What the token services expect of the clients that [Server.Providers] configures.
const (
	azureTenant, azureClient, azureSecret = "kmstest-tenant", "kmstest-client", "kmstest-secret"
	gcpEmail                              = "kmstest@example.com"
	// AccessToken is a token for Azure and Google that a client can use without a token service.
	AccessToken = "kmstest-token"
)

// AzureKeys makes these the only keys in Azure. Each is written as the host of its vault, a slash and its name.
func AzureKeys(keys ...string) Option { return func(s *Server) { s.keys["azure"] = keys } }

// answerAzureToken issues a token.
func (s *Server) answerAzureToken(c *call) reply {
	form, err := url.ParseQuery(string(c.body))
	tenant := strings.TrimSuffix(strings.TrimPrefix(c.URL.Path, "/"), "/oauth2/v2.0/token")
	switch {
	case err != nil || form.Get("grant_type") != "client_credentials" || form.Get("scope") == "":
		return fail(http.StatusBadRequest, "the request for a token is malformed")
	case tenant != azureTenant || form.Get("client_id") != azureClient || form.Get("client_secret") != azureSecret:
		return fail(http.StatusUnauthorized, "the client is not known")
	}
	return s.newToken()
}

// answerAzure answers as Azure Key Vault.
func (s *Server) answerAzure(c *call) reply {
	parts := strings.Split(strings.TrimPrefix(c.URL.Path, "/"), "/")
	value, err := decodeBase64URL(c.field("value"))
	switch {
	case !s.hasBearer(c):
		return fail(http.StatusUnauthorized, "the token is not known")
	case len(parts) != 4 || parts[0] != "keys" || c.field("alg") != kmstable.AzureAlgorithm || c.URL.Query().Get("api-version") == "":
		return fail(http.StatusBadRequest, "the request is malformed")
	case err != nil:
		return fail(http.StatusBadRequest, "the value is not base64url")
	}
	key := c.host + "/" + parts[1]
	if !s.hasKey("azure", key) {
		return fail(http.StatusNotFound, "there is no key %s", key)
	}
	if parts[3] == "wrapkey" {
		return succeed(map[string]any{"kid": key, "value": base64.RawURLEncoding.EncodeToString(s.wrap("azure", key, value))})
	}
	plaintext, wrapper, err := s.unwrap("azure", value)
	if err != nil || wrapper != "" && wrapper != key {
		return fail(http.StatusBadRequest, "the key %s did not wrap the value", key)
	}
	return succeed(map[string]any{"kid": key, "value": base64.RawURLEncoding.EncodeToString(plaintext)})
}

// hasKey reports whether a provider has a key.
func (s *Server) hasKey(provider, key string) bool {
	return len(s.keys[provider]) == 0 || slices.Contains(s.keys[provider], key)
}
