package auth

import (
	"strings"
	"testing"

	"github.com/xdg-go/scram"

	authtable "github.com/specdrivers/onion/generated/core/auth"
)

// converse lets a client of SCRAM-SHA-256 talk to a server whose keys took so many iterations. spoil changes the
// server's last message.
func converse(t *testing.T, iterations int, spoil func(string) string) error {
	t.Helper()
	client, err := scramClient(authtable.SCRAMSHA256, "user", "secret")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: "sixteen bytes!!!", Iters: iterations})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return stored, nil })
	if err != nil {
		t.Fatal(err)
	}
	mech, err := newSCRAM(authtable.SCRAMSHA256, "admin", "user", "secret")
	if err != nil {
		t.Fatal(err)
	}
	conversation, err := mech.(*saslMechanism).start(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	server := keys.NewConversation()
	challenge := []byte(nil)
	for {
		message, done, err := conversation.Next(t.Context(), challenge)
		if err != nil || done {
			return err
		}
		answer, err := server.Step(string(message))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(answer, "v=") {
			answer = spoil(answer)
		}
		challenge = []byte(answer)
	}
}

// SCRAM-SHA-256, "Minimum iteration count".
func TestSCRAMIterationMinimum(t *testing.T) {
	unspoiled := func(s string) string { return s }
	if err := converse(t, authtable.MinIterations, unspoiled); err != nil {
		t.Errorf("%d iterations: %v", authtable.MinIterations, err)
	}
	if err := converse(t, authtable.MinIterations-1, unspoiled); err == nil {
		t.Errorf("%d iterations were accepted", authtable.MinIterations-1)
	}
}

func TestSCRAMServerMustProveItself(t *testing.T) {
	for name, spoil := range map[string]func(string) string{
		"another signature": func(string) string { return "v=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
		"no signature":      func(string) string { return "" },
		"an error":          func(string) string { return "e=other-error" },
	} {
		t.Run(name, func(t *testing.T) {
			if err := converse(t, authtable.MinIterations, spoil); err == nil {
				t.Error("the server was believed")
			}
		})
	}
}
