package unified

import (
	"crypto/tls"
	"maps"
	"strings"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// kms is how a case reaches its key management services.
type kms struct {
	providers map[string]map[string]any
	tls       map[string]*tls.Config
	connect   options.KMSConnectCallback
}

// localKey is the key of the provider local in the specification's tests, LOCAL_MASTERKEY.
const localKey = "Mng0NCt4ZHVUYUJCa1kxNkVyNUR1QURhZ2h2UzR2d2RrZzh0cFBwM3R6NmdWMDFB" +
	"MUN3YkQ5aXRRMkhGRGdQV09wOGVNYUMxT2k3NjZKelhaQmRCZGJkTXVyZG9uSjFk"

// fillKMS replaces placeholders. Unified Test Format, "clientEncryption". The services are mocks, unless the environment has
// credentials of real ones.
func (r *Run) fillKMS(given map[string]map[string]any) kms {
	r.t.Helper()
	credentials := r.mockCredentials
	if usesRealKMS() {
		credentials = realCredentials
	}
	k := kms{providers: map[string]map[string]any{}}
	var remote []string
	for name, settings := range given {
		filled := maps.Clone(settings)
		for key, v := range filled {
			if v != Placeholder {
				continue
			}
			known := credentials(name, settings)[key]
			if known == nil {
				r.failf("nothing can take the place of the placeholder for %s of %s", key, name)
			}
			filled[key] = known
		}
		if filled["sessionToken"] == "" { // the legacy format's awsTemporaryNoSessionToken
			delete(filled, "sessionToken")
		}
		k.providers[name] = filled
		if kind, _, _ := strings.Cut(name, ":"); kind != "local" {
			remote = append(remote, name)
		}
	}
	if usesRealKMS() {
		k.tls = r.realTLS()
		return k
	}
	if len(remote) > 0 {
		mock := r.mockKMS()
		k.tls, k.connect = mock.TLS(remote...), mock.Connect
	}
	return k
}

// mockKMS returns the server that plays all services, started when a case first needs it.
func (r *Run) mockKMS() *kmstest.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.services == nil {
		r.services = kmstest.New(kmstest.Published())
	}
	return r.services
}

// mockCredentials returns what the server takes. Settings with a session token belong to an account that has one.
func (r *Run) mockCredentials(provider string, settings map[string]any) map[string]any {
	kind, _, _ := strings.Cut(provider, ":")
	switch kind {
	case "local":
		return map[string]any{"key": localKey}
	case "aws":
		if _, temporary := settings["sessionToken"]; temporary {
			provider = "aws:temporary"
		}
	case "azure", "gcp":
		if _, token := settings["accessToken"]; token {
			return map[string]any{"accessToken": kmstest.AccessToken}
		}
	}
	return r.mockKMS().Providers(provider)[provider]
}
