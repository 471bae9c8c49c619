package auth

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/xdg-go/scram"

	authtable "github.com/specdrivers/onion/generated/core/auth"
)

// converse runs a SCRAM-SHA-256 client against a server with the given iteration count. spoil changes the server's last
// message.
func converse(t *testing.T, iterations int, spoil func(string) string) error {
	t.Helper()
	client, err := scram.SHA256.NewClientUnprepped("user", "secret", "")
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
	mech := newSCRAM(authtable.SCRAMSHA256, "admin", "user", "secret")
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

// The end of the context stops the derivation of a key, so that neither the operation nor a processor is busy past a
// deadline.
func TestSCRAMDerivationEndsWithItsContext(t *testing.T) {
	client := newSCRAMClient(authtable.SCRAMSHA256, "user", "secret")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("given up")
	cancel(reason)
	began := time.Now()
	if _, err := client.key(ctx, scramFactors{"salt", math.MaxInt}); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(client.keys.known) != 0 {
		t.Error("a key that was not derived is kept")
	}
}

func TestSCRAMRefusesWhatAServerMakesUp(t *testing.T) {
	for name, tt := range map[string]struct{ first, want string }{
		"no salt":                {"r=%sabc,s=,i=4096", "salt"},
		"a salt that is no text": {"r=%sabc,s=!!,i=4096", "salt"},
		"a nonce of its own":     {"r=abc,s=c2FsdA==,i=4096", "does not extend"},
		"a nonce that adds none": {"r=%s,s=c2FsdA==,i=4096", "does not extend"},
		"too few iterations":     {"r=%sabc,s=c2FsdA==,i=4095", "fewer than 4096"},
		"too many iterations":    {"r=%sabc,s=c2FsdA==,i=1000001", "more than 1000000"},
		"all iterations":         {"r=%sabc,s=c2FsdA==,i=2147483647", "more than 1000000"},
		"more than all":          {"r=%sabc,s=c2FsdA==,i=99999999999999999999", "not a number"},
		"a negative count":       {"r=%sabc,s=c2FsdA==,i=-4096", "fewer than 4096"},
		"an extension":           {"m=x,r=%sabc,s=c2FsdA==,i=4096", "is not a nonce"},
		"another order":          {"s=c2FsdA==,r=%sabc,i=4096", "is not a nonce"},
		"nothing":                {"", "lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			client := newSCRAMClient(authtable.SCRAMSHA1, "user", "secret")
			c := &scramConversation{client: client, nonce: newNonce()}
			if _, _, err := c.Next(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			_, _, err := c.Next(t.Context(), []byte(strings.Replace(tt.first, "%s", c.nonce, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A server that invents a new salt for each connection cannot fill the memory.
func TestSCRAMKeepsFewKeys(t *testing.T) {
	client := newSCRAMClient(authtable.SCRAMSHA1, "user", "secret")
	for i := range 100 {
		if _, err := client.key(t.Context(), scramFactors{fmt.Sprint(i), 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(client.keys.known); n > maxScramKeys {
		t.Errorf("%d keys are kept", n)
	}
}

// RFC 5802, "SCRAM Authentication Exchange", and RFC 7677, "SCRAM-SHA-256 and SCRAM-SHA-256-PLUS": their examples.
func TestSCRAMExamplesOfTheRFCs(t *testing.T) {
	for name, tt := range map[string]struct {
		hash                       func() hash.Hash
		nonce, first, final, proof string
	}{
		"SHA-1": {sha1.New, "fyko+d2lbbFgONRv9qkxdawL",
			"r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
			"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
			"v=rmF9pqV8S7suAoZWja4dJRkFsKQ="},
		"SHA-256": {sha256.New, "rOprNGfwEbeRWgbNEkqO",
			"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
			"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
			"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="},
	} {
		t.Run(name, func(t *testing.T) {
			c := &scramConversation{client: &scramClient{hash: tt.hash, username: "user", password: "pencil"}, nonce: tt.nonce}
			first, _, err := c.Next(t.Context(), nil)
			if err != nil || string(first) != "n,,n=user,r="+tt.nonce {
				t.Fatalf("client-first %q, %v", first, err)
			}
			final, done, err := c.Next(t.Context(), []byte(tt.first))
			if err != nil || done || string(final) != tt.final {
				t.Fatalf("client-final %q, %v", final, err)
			}
			if _, done, err := c.Next(t.Context(), []byte(tt.proof)); err != nil || !done {
				t.Errorf("the server's proof: %t, %v", done, err)
			}
		})
	}
}
