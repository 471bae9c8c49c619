package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/generated/core/authtable"
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
	mech := newSCRAM(authtable.SCRAMSHA256, "admin", "user", fixedPassword("secret"))
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

// The error repeats a server's complaint about the client, and nothing that follows it.
func TestSCRAMTellsWhyTheServerRefuses(t *testing.T) {
	err := converse(t, authtable.MinIterations, func(string) string { return "e=other-error,x=more" })
	if err == nil || !strings.HasSuffix(err.Error(), `the server refuses: "other-error"`) {
		t.Errorf("err = %v", err)
	}
}

// fixedPassword is a password that stays the same.
func fixedPassword(password string) secret {
	return func(context.Context) (string, error) { return password, nil }
}

// begin starts a conversation of a new user and returns the client's nonce.
func begin(t *testing.T, name authtable.Mechanism, username, password string) (c *scramConversation, nonce string) {
	t.Helper()
	started, err := newSCRAM(name, "admin", username, fixedPassword(password)).(*saslMechanism).start(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := started.Next(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, nonce, _ = strings.Cut(string(first), ",r=")
	return started.(*scramConversation), nonce
}

// newGatedHash makes a hash for keys whose derivation waits until a gate opens. began counts the derivations.
func newGatedHash(gate chan struct{}, began *atomic.Int32) scram.HashGeneratorFcn {
	return func() hash.Hash {
		began.Add(1)
		<-gate
		return sha256.New()
	}
}

// However long the library takes, no connection waits past its context. Connections that want the same keys share one
// derivation, and a derivation that no connection waits for any more never begins.
func TestSCRAMDerivationIsSharedAndEndsNoContextLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began atomic.Int32
		gate := make(chan struct{})
		library, err := newGatedHash(gate, &began).NewClientUnprepped("user", "secret", "")
		if err != nil {
			t.Fatal(err)
		}
		keys := newSCRAMKeys(library, make(chan struct{}, 1), nil)
		same, other := scram.KeyFactors{Salt: "same", Iters: 1}, scram.KeyFactors{Salt: "other", Iters: 1}
		hasty, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("given up"))
		defer cancel()
		results := make(chan error, 5)
		for range 3 {
			go func() { results <- keys.derive(t.Context(), same) }()
		}
		synctest.Wait()
		for _, f := range []scram.KeyFactors{same, other} {
			start := time.Now()
			if err := keys.derive(hasty, f); !errors.Is(err, context.Cause(hasty)) || err == nil || time.Since(start) > time.Second {
				t.Errorf("%s: %v after %v", f.Salt, err, time.Since(start))
			}
		}
		if n := began.Load(); n != 1 {
			t.Errorf("%d derivations began", n)
		}
		close(gate)
		for range 3 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		after := began.Load()
		if err := keys.derive(t.Context(), same); err != nil || began.Load() != after {
			t.Errorf("the keys were derived again, or %v", err)
		}
		select {
		case <-keys.derivation(other).done:
			t.Error("keys were derived that no connection waited for")
		default:
		}
	})
}

// A context that has ended begins no derivation, not even a short one.
func TestSCRAMDerivationNeedsItsContext(t *testing.T) {
	c, nonce := begin(t, authtable.SCRAMSHA256, "user", "secret")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("given up")
	cancel(reason)
	if _, _, err := c.Next(ctx, []byte("r="+nonce+"abc,s=c2FsdA==,i=4096")); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
	select {
	case <-c.keys.derivation(scram.KeyFactors{Salt: "salt", Iters: 4096}).done:
		t.Error("keys were derived")
	case c.keys.turn <- struct{}{}: // nothing runs
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
			c, nonce := begin(t, authtable.SCRAMSHA1, "user", "secret")
			_, _, err := c.Next(t.Context(), []byte(strings.Replace(tt.first, "%s", nonce, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A server that invents a new salt for each connection cannot fill the memory.
func TestSCRAMKeepsFewKeys(t *testing.T) {
	mech := newSCRAM(authtable.SCRAMSHA1, "admin", "user", fixedPassword("secret")).(*saslMechanism)
	for i := range 100 {
		started, err := mech.start(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		c := started.(*scramConversation)
		if err := c.keys.derive(t.Context(), scram.KeyFactors{Salt: fmt.Sprint(i), Iters: 1}); err != nil {
			t.Fatal(err)
		}
		if n := len(c.keys.derivations); n > maxSCRAMKeys {
			t.Fatalf("%d keys are kept", n)
		}
	}
}

// RFC 5802, "SCRAM Authentication Exchange", and RFC 7677, "SCRAM-SHA-256 and SCRAM-SHA-256-PLUS": their examples.
func TestSCRAMExamplesOfTheRFCs(t *testing.T) {
	for name, tt := range map[string]struct {
		hash                       scram.HashGeneratorFcn
		nonce, first, final, proof string
	}{
		"SHA-1": {scram.SHA1, "fyko+d2lbbFgONRv9qkxdawL",
			"r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
			"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
			"v=rmF9pqV8S7suAoZWja4dJRkFsKQ="},
		"SHA-256": {scram.SHA256, "rOprNGfwEbeRWgbNEkqO",
			"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
			"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
			"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="},
	} {
		t.Run(name, func(t *testing.T) {
			library, err := tt.hash.NewClientUnprepped("user", "pencil", "")
			if err != nil {
				t.Fatal(err)
			}
			library.WithNonceGenerator(func() string { return tt.nonce })
			keys := newSCRAMKeys(library, make(chan struct{}, 1), nil)
			c := &scramConversation{ClientConversation: library.NewConversation(), keys: keys}
			first, _, err := c.Next(t.Context(), nil)
			if err != nil || string(first) != "n,,n=user,r="+tt.nonce {
				t.Fatalf("client-first %q, %v", first, err)
			}
			final, done, err := c.Next(t.Context(), []byte(tt.first))
			if err != nil || done || string(final) != tt.final {
				t.Fatalf("client-final %q, %v", final, err)
			}
			_, factors, err := parseServerFirst(tt.first) // of the key that another connection finds
			if _, shared := keys.derivations[factors]; !shared || len(factors.Salt) == 0 || factors.Iters != 4096 || err != nil {
				t.Errorf("derived for %v, want %v", keys.derivations, factors)
			}
			if _, done, err := c.Next(t.Context(), []byte(tt.proof)); err != nil || !done {
				t.Errorf("the server's proof: %t, %v", done, err)
			}
		})
	}
}

// RFC 4013, "Examples", and SCRAM-SHA-256, "MongoCredential Properties".
func TestSASLprepExamplesOfTheRFC(t *testing.T) {
	for password, want := range map[string]string{
		"I\u00adX": "IX", "user": "user", "USER": "USER", "\u00aa": "a", "\u2168": "IX", // the examples
		"\u0007": "", "\u06271": "", // what the examples refuse
		"a\u00a0b": "a b", "\U0001F600": "", "\u0627\u06281\u0628": "\u0627\u06281\u0628",
	} {
		if got, err := saslPrep(password); got != want || (err != nil) != (want == "") {
			t.Errorf("%+q: got %+q, %v", password, got, err)
		}
	}
}

// No error contains a refused password or a part of it.
func TestErrorsRepeatNoSecretAndLittleOfTheServer(t *testing.T) {
	if _, err := saslPrep("hidden\u0007"); err == nil || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "0007") {
		t.Errorf("got %v", err)
	}
	for _, last := range []string{"e=", "", "v=", "x="} {
		err := converse(t, authtable.MinIterations, func(string) string { return last + strings.Repeat("a", 1<<20) })
		if err == nil || len(err.Error()) > 300 {
			t.Errorf("%q: an error of %d bytes", last, len(fmt.Sprint(err)))
		}
	}
}
