package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
)

// New makes an authenticator for a credential that has been checked and whose source is filled in, as
// uri.ConnString.Credential returns it. A nil credential gives a nil authenticator, which authenticates nothing.
func New(credential *options.Credential, config Config) (*Authenticator, error) {
	if credential == nil {
		return nil, nil
	}
	if config.Getenv == nil {
		config.Getenv = func(string) string { return "" }
	}
	a := &Authenticator{credential: credential, source: text(credential.AuthSource)}
	name := authtable.Mechanism(text(credential.AuthMechanism))
	rules, _ := authtable.RulesFor(name)
	a.ahead = rules.Speculative
	var err error
	if name == authtable.Negotiated {
		a.sha256, a.sha1 = a.newSCRAM(authtable.SCRAMSHA256), a.newSCRAM(authtable.SCRAMSHA1)
		return a, nil
	}
	if a.fixed, err = a.newMechanism(name, config); err != nil {
		return nil, fmt.Errorf("auth: %s: %w", name, err)
	}
	return a, nil
}

func (a *Authenticator) newSCRAM(name authtable.Mechanism) mechanism {
	return newSCRAM(name, a.source, text(a.credential.Username), passwordOf(a.credential))
}

func (a *Authenticator) newMechanism(name authtable.Mechanism, config Config) (mechanism, error) {
	username := text(a.credential.Username)
	if hook := a.credential.Mechanism; hook != nil {
		a.ahead = "" // a conversation of the program's own begins when the server has answered
		return &saslMechanism{
			mech: string(name), source: a.source,
			start: func(ctx context.Context, address string) (options.Conversation, error) {
				return startHook(ctx, hook, a.credential, address)
			},
		}, nil
	}
	switch name {
	case authtable.SCRAMSHA256:
		if a.credential.PasswordCallback == nil { // Auth, "Errors": as early as possible
			if _, err := saslPrep(text(a.credential.Password)); err != nil {
				return nil, err
			}
		}
		return a.newSCRAM(name), nil
	case authtable.SCRAMSHA1:
		return a.newSCRAM(name), nil
	case authtable.X509:
		return &x509{mech: string(name), source: a.source, username: username}, nil
	case authtable.Plain:
		return newPlain(string(name), a.source, username, passwordOf(a.credential)), nil
	case authtable.AWS:
		return newAWS(string(name), a.source, &awsKeys{
			provider: a.credential.AWSCredentialProvider, client: config.Web, getenv: config.Getenv, now: time.Now,
		}), nil
	case authtable.OIDC:
		return newOIDC(string(name), a.source, a.credential, config)
	case authtable.GSSAPI:
		return nil, errors.New("set options.Credential.Mechanism to the mechanism of runtime/mongokrb5, which is a module of its own")
	}
	return nil, errors.New("the mechanism is not known")
}
