package kms

import (
	"strings"
	"testing"
)

// A secret in the wrong place of the settings is not part of the error.
func TestErrorsShowNoMisplacedSecret(t *testing.T) {
	const secret = "hunter2"
	aws := func(key string, value any) map[string]map[string]any {
		return map[string]map[string]any{"aws": {"accessKeyId": "id", "secretAccessKey": "key", key: value}}
	}
	for name, providers := range map[string]map[string]map[string]any{
		"a field":          aws(secret, "x"),
		"the session":      aws("sessionToken", map[string]any{secret: secret}),
		"a provider":       {secret: {}},
		"a named provider": {"aws:" + secret + "!": {"accessKeyId": "id"}},
		"an endpoint":      {"kmip": {"endpoint": secret + "/x"}},
		"a port":           {"kmip": {"endpoint": "a.example:" + secret}},
		"a local key":      {"local": {"key": secret}},
		"a private key":    {"gcp": {"email": "a@b.example", "privateKey": secret + "!"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{Providers: providers, Getenv: func(string) string { return "" }})
			if err == nil {
				t.Fatal("it is accepted")
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("got %v", err)
			}
		})
	}
}
