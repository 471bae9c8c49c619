package auth

import (
	"context"
	"fmt"
	"sync"

	authtable "github.com/specdrivers/onion/generated/core/auth"
	"github.com/specdrivers/onion/generated/options"
)

// secret returns the password for a new connection.
type secret func(context.Context) (string, error)

// passwordOf is the callback of a credential, or else its password.
func passwordOf(c *options.Credential) secret {
	if c.PasswordCallback == nil {
		return func(context.Context) (string, error) { return text(c.Password), nil }
	}
	return func(ctx context.Context) (string, error) {
		password, err := call(ctx, c.PasswordCallback)
		if err != nil {
			return "", fmt.Errorf("the password callback: %w", err)
		}
		return password, nil
	}
}

// rotatingSCRAM is a user whose password may change. The keys are kept as long as the password stays the same.
type rotatingSCRAM struct {
	mechanism authtable.Mechanism
	username  string
	secret    secret

	mu       sync.Mutex
	password string
	client   *scramClient
}

// newRotatingSCRAM is newSCRAM for a password that is asked for at each new connection.
func newRotatingSCRAM(name authtable.Mechanism, source, username string, password secret) mechanism {
	r := &rotatingSCRAM{mechanism: name, username: username, secret: password}
	return &saslMechanism{mech: string(name), source: source, ahead: true, skipEmpty: true, start: r.start}
}

func (r *rotatingSCRAM) start(ctx context.Context, _ string) (options.Conversation, error) {
	password, err := r.secret(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == nil || r.password != password {
		r.client, r.password = newSCRAMClient(r.mechanism, r.username, password), password
	}
	return &scramConversation{client: r.client, nonce: newNonce()}, nil
}
