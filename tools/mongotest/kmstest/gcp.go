package kmstest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

// GCPKeys makes these the only keys in Google Cloud. Each is a resource name without a version.
func GCPKeys(keys ...string) Option { return func(s *Server) { s.keys["gcp"] = keys } }

// gcpKey is the key that clients sign with. Generating one takes long, so all servers share it.
var gcpKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })

// newGCPPrivateKey returns that key in the form that clients configure.
func newGCPPrivateKey() string {
	return base64.StdEncoding.EncodeToString(must(x509.MarshalPKCS8PrivateKey(gcpKey())))
}

// answerGCPToken issues a token for a signed assertion.
func (s *Server) answerGCPToken(c *call) reply {
	form, err := url.ParseQuery(string(c.body))
	if err != nil || form.Get("grant_type") != kmstable.GCPGrant {
		return fail(http.StatusBadRequest, "the request for a token is malformed")
	}
	signed, signature, _ := cutLast(form.Get("assertion"), ".")
	_, claims, _ := strings.Cut(signed, ".")
	raw, err := decodeBase64URL(signature)
	text, err2 := decodeBase64URL(claims)
	var claim struct {
		Issuer  string `json:"iss"`
		For     string `json:"aud"`
		Scope   string `json:"scope"`
		Expires int64  `json:"exp"`
	}
	digest := sha256.Sum256([]byte(signed))
	switch {
	case err != nil || err2 != nil || json.Unmarshal(text, &claim) != nil:
		return fail(http.StatusBadRequest, "the assertion is malformed")
	case rsa.VerifyPKCS1v15(&gcpKey().PublicKey, crypto.SHA256, digest[:], raw) != nil:
		return fail(http.StatusBadRequest, "the signature of the assertion is wrong")
	case claim.Issuer != gcpEmail || claim.For != "https://"+c.host+"/token" || claim.Scope == "":
		return fail(http.StatusUnauthorized, "the assertion is not for this service")
	case time.Now().Unix() > claim.Expires:
		return fail(http.StatusUnauthorized, "the assertion has expired")
	}
	return s.newToken()
}

// decodeBase64URL decodes base64 for URLs with or without padding: libmongocrypt sends it.
func decodeBase64URL(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// answerGCP answers as Google Cloud KMS.
func (s *Server) answerGCP(c *call) reply {
	name, action, _ := cutLast(strings.TrimPrefix(c.URL.Path, "/v1/"), ":")
	key, version, versioned := strings.Cut(name, "/cryptoKeyVersions/")
	switch {
	case !s.hasBearer(c):
		return fail(http.StatusUnauthorized, "the token is not known")
	case strings.Count(key, "/") != 7 || !strings.HasPrefix(key, "projects/"):
		return fail(http.StatusBadRequest, "%s is no key", key)
	case !s.hasKey("gcp", key):
		return fail(http.StatusNotFound, "there is no key %s", key)
	case versioned && (version == "" || action == "decrypt"):
		return fail(http.StatusBadRequest, "a key that decrypts has no version")
	}
	if action == "encrypt" {
		plaintext, err := base64.StdEncoding.DecodeString(c.field("plaintext"))
		if err != nil || len(plaintext) == 0 {
			return fail(http.StatusBadRequest, "there is no plaintext")
		}
		return succeed(map[string]any{"name": key, "ciphertext": base64.StdEncoding.EncodeToString(s.wrap("gcp", key, plaintext))})
	}
	wrapped, err := base64.StdEncoding.DecodeString(c.field("ciphertext"))
	plaintext, wrapper, err2 := s.unwrap("gcp", wrapped)
	if err != nil || err2 != nil || wrapper != "" && wrapper != key {
		return fail(http.StatusBadRequest, "the key %s did not encrypt the ciphertext", key)
	}
	return succeed(map[string]any{"plaintext": base64.StdEncoding.EncodeToString(plaintext)})
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// tokenLife is how long a token is valid, in seconds.
const tokenLife = 3600

// newToken issues a token.
func (s *Server) newToken() reply {
	token := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = true
	return succeed(map[string]any{"access_token": token, "expires_in": tokenLife, "token_type": "Bearer"})
}

// hasBearer reports whether a request has a token that the server issued.
func (s *Server) hasBearer(c *call) bool {
	token, found := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	return found && (token == AccessToken || s.tokens[token])
}
