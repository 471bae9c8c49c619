package auth

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// The driver asks the callback for the password at each new connection. It keeps the derived keys while the password
// stays the same.
func TestPasswordCallbackIsAskedAtEachConnection(t *testing.T) {
	passwords := []string{"first", "first", "second"}
	calls := 0
	credential := &options.Credential{
		Username: new("user"), AuthSource: new("admin"), Password: new("unused"),
		PasswordCallback: func(context.Context) (string, error) {
			calls++
			return passwords[calls-1], nil
		},
	}
	for _, name := range []authtable.Mechanism{authtable.SCRAMSHA256, authtable.SCRAMSHA1, authtable.Plain} {
		t.Run(string(name), func(t *testing.T) {
			calls = 0
			credential.AuthMechanism = new(string(name))
			a, err := New(credential, Config{})
			if err != nil {
				t.Fatal(err)
			}
			mech := a.fixed.(*saslMechanism)
			var keys []*scramKeys
			for i, want := range passwords {
				conversation, err := mech.start(t.Context(), "a:1")
				if err != nil {
					t.Fatal(err)
				}
				if scram, ok := conversation.(*scramConversation); ok {
					keys = append(keys, scram.keys)
					continue
				}
				if payload, _, _ := conversation.Next(t.Context(), nil); !strings.HasSuffix(string(payload), "\x00"+want) {
					t.Errorf("connection %d sends %q", i, payload)
				}
			}
			if calls != len(passwords) {
				t.Errorf("the callback was called %d times", calls)
			}
			if len(keys) == 3 && (keys[0] != keys[1] || keys[1] == keys[2]) {
				t.Error("keys are kept for another password, or not for the same")
			}
		})
	}
}

func TestPasswordCallbackFails(t *testing.T) {
	refused := errors.New("the vault is sealed")
	a, err := New(&options.Credential{
		Username: new("user"), AuthSource: new("admin"),
		PasswordCallback: func(context.Context) (string, error) { return "", refused },
	}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Begin(t.Context(), "a:1"); !errors.Is(err, refused) || !strings.Contains(err.Error(), "password callback") {
		t.Errorf("got %v", err)
	}
}

// The error of a password callback also ends a reauthentication.
func TestPasswordCallbackFailsLater(t *testing.T) {
	refused := errors.New("the vault is sealed")
	a, err := New(&options.Credential{
		Username: new("user"), AuthSource: new("admin"), AuthMechanism: new(string(authtable.SCRAMSHA256)),
		PasswordCallback: func(context.Context) (string, error) { return "", refused },
	}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	defer far.Close()
	c := conn.New(near, "a:1", nil)
	defer c.Close()
	if err := a.Reauthenticate(t.Context(), c); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}
