package auth

import (
	"context"

	"github.com/specdrivers/onion/generated/options"
)

// newPlain makes the mechanism PLAIN (RFC 4616): name and password in one message, as safe as the connection that
// carries them.
func newPlain(name, source, username string, password secret) mechanism {
	return &saslMechanism{
		mech: name, source: source,
		start: func(ctx context.Context, _ string) (options.Conversation, error) {
			given, err := password(ctx)
			if err != nil {
				return nil, err
			}
			return oneMessage("\x00" + username + "\x00" + given), nil
		},
	}
}

// oneMessage is a conversation in which the client says all in its first message.
type oneMessage string

func (m oneMessage) Next(context.Context, []byte) ([]byte, bool, error) { return []byte(m), true, nil }
