package unified

import (
	"crypto/tls"
	"maps"
	"strings"

	"github.com/specdrivers/onion/generated/options"
)

// kms is how a case reaches its key management services.
type kms struct {
	providers map[string]map[string]any
	tls       map[string]*tls.Config
	connect   options.KMSConnectCallback
}

// localKey is the key of the provider local in the specification's tests, LOCAL_MASTERKEY.
const localKey = "Mng0NCt4ZHVUYUJCa1kxNkVyNUR1QURhZ2h2UzR2d2RrZzh0cFBwM3R6NmdWMDFBMUN3YkQ5aXRRMkhGRGdQV09wOGVNYUMxT2k3NjZKelhaQmRCZGJkTXVyZG9uSjFk"

// kms replaces placeholders. Unified Test Format, "clientEncryption".
func (r *Run) kms(given map[string]map[string]any) kms {
	r.t.Helper()
	k := kms{providers: map[string]map[string]any{}, tls: map[string]*tls.Config{}}
	for name, settings := range given {
		filled := maps.Clone(settings)
		for key, v := range filled {
			if v == Placeholder {
				filled[key] = r.credential(name, key)
			}
		}
		k.providers[name] = filled
	}
	return k
}

// credential is what a placeholder stands for.
func (r *Run) credential(provider, key string) string {
	r.t.Helper()
	kind, _, _ := strings.Cut(provider, ":")
	if v, ok := credentials[kind][key]; ok {
		return v
	}
	r.failf("nothing can take the place of the placeholder for %s of %s", key, provider)
	return ""
}

// credentials are what placeholders stand for. All key management services but local are mocks, which believe in them.
var credentials = map[string]map[string]string{
	"aws":   {"accessKeyId": "AKIARUNNER", "secretAccessKey": "runner", "sessionToken": "runner"},
	"azure": {"tenantId": "runner", "clientId": "runner", "clientSecret": "runner", "accessToken": "runner"},
	"gcp":   {"email": "runner@example.com", "privateKey": "", "accessToken": "runner"},
	"kmip":  {"endpoint": "localhost:5698"},
	"local": {"key": localKey},
}
