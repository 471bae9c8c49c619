package unified

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/specdrivers/onion/tools/mongotest"
)

// oidcMechanism is the mechanism whose properties files of the format leave open.
const oidcMechanism = "MONGODB-OIDC"

// oidcToken is the token that deployments in memory accept. The driver finds it as a program on a machine for tests does: in
// a file that a variable of the environment names.
var oidcToken = mongotest.Token{JWT: "runner-token", Principal: "runner"}

// nameTokenFile sets that variable, once for all cases of the process.
var nameTokenFile = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "onion-oidc")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "token")
	if err := os.WriteFile(name, []byte(oidcToken.JWT), 0o600); err != nil {
		return err
	}
	return os.Setenv("OIDC_TOKEN_FILE", name)
})

// placeholder is what takes the place of a placeholder in an option of a connection string. On a real deployment its own
// connection string has the option; false leaves it as it is there. Unified Test Format, "$$placeholder".
func (r *Run) placeholder(key string) (string, bool) {
	switch {
	case !strings.HasPrefix(key, "authMechanismProperties"):
		r.failf("nothing can take the place of a placeholder for %s", key)
	case r.deployment.mem == nil:
		if strings.Contains(key, ".") || !strings.Contains(r.deployment.kind.uri, "authMechanismProperties=") {
			r.failf("the connection string of the deployment must have authMechanismProperties")
		}
		return "", false
	}
	r.must(nameTokenFile(), "write the file with the token")
	if key == "authMechanismProperties.ENVIRONMENT" {
		return "test", true
	}
	return "ENVIRONMENT:test", true
}

// withoutUser drops name and password, which belong to another mechanism.
func withoutUser(head string) string {
	scheme, rest, _ := strings.Cut(head, "://")
	hosts, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndex(hosts, "@"); i >= 0 {
		hosts = hosts[i+1:]
	}
	return scheme + "://" + hosts + "/" + path
}
