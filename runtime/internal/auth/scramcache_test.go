package auth

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"testing"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/generated/options"
)

// converseWith runs a conversation with a server that knows a password, and returns the keys that the client used.
func converseWith(t *testing.T, m *saslMechanism, password string, f scram.KeyFactors) *scramKeys {
	t.Helper()
	hash := scram.SHA256
	if m.mech == "SCRAM-SHA-1" {
		sum := md5.Sum([]byte("ada:mongo:" + password))
		hash, password = scram.SHA1, hex.EncodeToString(sum[:])
	}
	known, err := hash.NewClientUnprepped("ada", password, "")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := known.GetStoredCredentialsWithError(f)
	if err != nil {
		t.Fatal(err)
	}
	library, err := hash.NewServer(func(string) (scram.StoredCredentials, error) { return stored, nil })
	if err != nil {
		t.Fatal(err)
	}
	server := library.NewConversation()
	client, err := m.start(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for challenge := []byte(nil); ; {
		message, done, err := client.Next(t.Context(), challenge)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return client.(*scramConversation).keys
		}
		answer, err := server.Step(string(message))
		if err != nil {
			t.Fatal(err)
		}
		challenge = []byte(answer)
	}
}

// Auth, "Caching credentials in SCRAM": cached keys belong to a mechanism, a password, a salt and an iteration count.
// If any of the four differs, the keys would be wrong. If all are the same, the keys are derived once.
func TestSCRAMKeysBelongToMechanismPasswordSaltAndCount(t *testing.T) {
	password := "first"
	a, err := New(&options.Credential{
		Username: new("ada"), AuthSource: new("admin"),
		PasswordCallback: func(context.Context) (string, error) { return password, nil },
	}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	sha256, sha1 := a.sha256.(*saslMechanism), a.sha1.(*saslMechanism)
	one := scram.KeyFactors{Salt: "the salt of one!", Iters: 4096}
	first := converseWith(t, sha256, password, one)
	if again := converseWith(t, sha256, password, one); again != first || len(again.derivations) != 1 {
		t.Errorf("the same keys are derived anew: %d", len(again.derivations))
	}
	for i, f := range []scram.KeyFactors{{Salt: "the salt of two!", Iters: 4096}, {Salt: one.Salt, Iters: 4097}} {
		if keys := converseWith(t, sha256, password, f); keys != first || len(keys.derivations) != i+2 {
			t.Errorf("%v: %d derivations", f, len(keys.derivations))
		}
	}
	if keys := converseWith(t, sha1, password, one); keys == first {
		t.Error("two mechanisms share their keys")
	}
	password = "second"
	if keys := converseWith(t, sha256, password, one); keys == first {
		t.Error("two passwords share their keys")
	}
}

// Auth, "Default Authentication Methods": SCRAM-SHA-256 if the user has it, and otherwise SCRAM-SHA-1, whatever else
// there is.
func TestNegotiatedMechanism(t *testing.T) {
	a, err := New(&options.Credential{Username: new("ada"), Password: new("x"), AuthSource: new("admin")}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		supported []string
		want      string
	}{
		{nil, "SCRAM-SHA-1"}, {[]string{}, "SCRAM-SHA-1"}, {[]string{"PLAIN", "GSSAPI"}, "SCRAM-SHA-1"},
		{[]string{"SCRAM-SHA-1"}, "SCRAM-SHA-1"}, {[]string{"SCRAM-SHA-1", "SCRAM-SHA-256"}, "SCRAM-SHA-256"},
		{[]string{"PLAIN", "SCRAM-SHA-256"}, "SCRAM-SHA-256"},
	} {
		if got := a.negotiate(tt.supported).name(); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.supported, got, tt.want)
		}
	}
}
