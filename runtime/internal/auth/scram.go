package auth

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/xdg-go/scram"
	"github.com/xdg-go/stringprep"

	authtable "github.com/specdrivers/onion/generated/core/auth"
	"github.com/specdrivers/onion/generated/options"
)

// newSCRAM is SCRAM-SHA-1 or SCRAM-SHA-256 (RFC 5802) for a user. The client keeps the keys that it derived, so that
// only the first of many connections pays for the iterations.
func newSCRAM(mechanism authtable.Mechanism, source, username, password string) (mechanism, error) {
	client, err := scramClient(mechanism, username, password)
	if err != nil {
		return nil, err
	}
	client = client.WithMinIterations(authtable.MinIterations)
	return &saslMechanism{
		mech: string(mechanism), source: source, ahead: true, skipEmpty: true,
		start: func(context.Context, string) (options.Conversation, error) {
			return &scramConversation{client.NewConversation()}, nil
		},
	}, nil
}

// scramClient prepares the credentials: MongoDB hashes the password for SCRAM-SHA-1 and applies SASLprep to the
// password, never to the name, for SCRAM-SHA-256.
func scramClient(mechanism authtable.Mechanism, username, password string) (*scram.Client, error) {
	if mechanism == authtable.SCRAMSHA1 {
		sum := md5.Sum([]byte(username + ":mongo:" + password))
		return scram.SHA1.NewClientUnprepped(username, hex.EncodeToString(sum[:]), "")
	}
	prepared, err := stringprep.SASLprep.Prepare(password)
	if err != nil {
		return nil, errors.New("the password has characters that SASLprep forbids")
	}
	return scram.SHA256.NewClientUnprepped(username, prepared, "")
}

// scramConversation adapts the library's conversation. It is done once the server has proved that it knows the
// password too.
type scramConversation struct{ *scram.ClientConversation }

func (c *scramConversation) Next(_ context.Context, challenge []byte) ([]byte, bool, error) {
	out, err := c.Step(string(challenge))
	if err != nil {
		return nil, false, fmt.Errorf("SCRAM: %w", err)
	}
	if c.Done() && !c.Valid() {
		return nil, false, errors.New("SCRAM: the server did not prove that it knows the password")
	}
	return []byte(out), c.Done(), nil
}
