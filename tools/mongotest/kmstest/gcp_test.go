package kmstest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

// The parts of an assertion may be padded, as libmongocrypt sends them.
func TestPaddedAssertion(t *testing.T) {
	s := Start(t)
	claims := fmt.Sprintf(`{"iss": "%s", "aud": "https://%s/token", "scope": "s", "exp": %d}`, gcpEmail, kmstable.GCPLoginHost, time.Now().Unix()+60)
	for len(claims)%3 != 1 {
		claims += " "
	}
	for _, encoding := range []*base64.Encoding{base64.URLEncoding, base64.RawURLEncoding} {
		signed := encoding.EncodeToString([]byte(`{"alg":"RS256"}`)) + "." + encoding.EncodeToString([]byte(claims))
		digest := sha256.Sum256([]byte(signed))
		signature, err := rsa.SignPKCS1v15(nil, gcpKey(), crypto.SHA256, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		status, doc := post(t, s, "https://"+kmstable.GCPLoginHost+"/token",
			url.Values{"grant_type": {kmstable.GCPGrant}, "assertion": {signed + "." + encoding.EncodeToString(signature)}}.Encode())
		if status != http.StatusOK || doc["access_token"] == "" {
			t.Errorf("an assertion %s: %d %v", signed, status, doc)
		}
	}
}
