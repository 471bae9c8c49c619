package unified

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/specdrivers/onion/tools/mongotest"
)

// oidcMechanism is the mechanism whose properties files of the format leave open.
const oidcMechanism = "MONGODB-OIDC"

// oidcToken is the token that deployments in memory accept. The driver finds it as on a test machine: in a file that an
// environment variable names.
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
