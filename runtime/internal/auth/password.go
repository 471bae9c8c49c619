package auth

import (
	"context"
	"fmt"

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
		password, err := call(ctx, "PasswordCallback", c.PasswordCallback)
		if err != nil {
			return "", fmt.Errorf("the password callback: %w", err)
		}
		return password, nil
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
