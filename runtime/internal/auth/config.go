package auth

import (
	"time"

	"github.com/specdrivers/onion/runtime/internal/web"
)

// Config is what the mechanisms need beside a credential.
type Config struct {
	// Web asks the endpoints that give out keys and tokens.
	Web web.Client

	// Getenv reads an environment variable; nil means that none is set.
	Getenv func(string) string

	// ConnectTimeout bounds each command of an authentication that waits for a callback; 0 means no bound but the
	// context.
	ConnectTimeout time.Duration

	// Timed says that the client has a timeoutMS. UnderTimeout says so for a single authentication.
	Timed bool
}
