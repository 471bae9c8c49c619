package auth

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/xdg-go/scram"
	"github.com/xdg-go/stringprep"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
)

// newSCRAM makes SCRAM-SHA-1 or SCRAM-SHA-256 (RFC 5802, RFC 7677) for a user. The library holds the conversation and
// derives the keys. This package adds callbacks for passwords, a maximum of iterations, contexts, and a limit on the
// keys that are kept.
func newSCRAM(name authtable.Mechanism, source, username string, password secret) mechanism {
	u := &scramUser{mechanism: name, username: username, secret: password, turn: make(chan struct{}, 1)}
	return &saslMechanism{mech: string(name), source: source, skipEmpty: true, start: u.start}
}

// scramUser is a user whose connections share derived keys, as long as the password stays the same. It is safe for
// concurrent use.
type scramUser struct {
	mechanism authtable.Mechanism
	username  string
	secret    secret
	turn      chan struct{} // holds a value while keys are derived

	mu       sync.Mutex
	password string
	keys     *scramKeys
}

func (u *scramUser) start(ctx context.Context, _ string) (options.Conversation, error) {
	password, err := u.secret(ctx)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil || u.password != password || u.keys.isFull() {
		library, unusable, err := newLibraryClient(u.mechanism, u.username, password)
		if err != nil {
			return nil, err
		}
		u.keys, u.password = newSCRAMKeys(library, u.turn, unusable), password
	}
	return &scramConversation{ClientConversation: u.keys.library.NewConversation(), keys: u.keys}, nil
}

// newLibraryClient prepares the credentials: MongoDB hashes the password for SCRAM-SHA-1, and applies SASLprep to the
// password, but never to the name, for SCRAM-SHA-256. unusable says why the client can send its first message, but none
// after it.
func newLibraryClient(name authtable.Mechanism, username, password string) (client *scram.Client, unusable, err error) {
	hash := scram.SHA256
	if name == authtable.SCRAMSHA1 {
		sum := md5.Sum([]byte(username + ":mongo:" + password))
		hash, password = scram.SHA1, hex.EncodeToString(sum[:])
	} else {
		password, unusable = saslPrep(password)
	}
	if client, err = hash.NewClientUnprepped(username, password, ""); err != nil {
		return nil, nil, err
	}
	return client.WithMinIterations(authtable.MinIterations), unusable, nil
}

// saslPrep prepares a password that is stored. RFC 4013.
func saslPrep(password string) (string, error) {
	prepared, err := stringprep.SASLprep.Prepare(password)
	if err != nil {
		return "", errors.New("the password has characters that SASLprep forbids") // which ones they are is a secret
	}
	return prepared, nil
}
