package auth

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"

	authtable "github.com/specdrivers/onion/generated/core/auth"
	"github.com/specdrivers/onion/generated/options"
)

// newSCRAM is SCRAM-SHA-1 or SCRAM-SHA-256 (RFC 5802, RFC 7677) for a user. The client keeps the keys that it derived,
// so that only the first of many connections pays for the iterations.
func newSCRAM(mechanism authtable.Mechanism, source, username, password string) mechanism {
	client := newSCRAMClient(mechanism, username, password)
	return &saslMechanism{
		mech: string(mechanism), source: source, ahead: true, skipEmpty: true,
		start: func(context.Context, string) (options.Conversation, error) {
			return &scramConversation{client: client, nonce: newNonce()}, nil
		},
	}
}

// newSCRAMClient prepares the credentials: MongoDB hashes the password for SCRAM-SHA-1 and applies SASLprep to the
// password, never to the name, for SCRAM-SHA-256.
func newSCRAMClient(mechanism authtable.Mechanism, username, password string) *scramClient {
	if mechanism == authtable.SCRAMSHA1 {
		sum := md5.Sum([]byte(username + ":mongo:" + password))
		return &scramClient{hash: sha1.New, username: username, password: hex.EncodeToString(sum[:])}
	}
	prepared, err := saslPrep(password)
	return &scramClient{hash: sha256.New, username: username, password: prepared, unusable: err}
}

// scramClient is a user and the keys that were derived for it. It is safe for concurrent use.
type scramClient struct {
	hash               func() hash.Hash
	username, password string
	keys               scramKeys

	// unusable says why no key can be derived from the password. The first message needs none: it tells a client that
	// negotiates whether the user has this mechanism at all.
	unusable error
}

// newNonce is the client's part of the nonce, in characters that need no escape.
func newNonce() string {
	nonce := make([]byte, 24)
	rand.Read(nonce)
	return base64.StdEncoding.EncodeToString(nonce)
}
