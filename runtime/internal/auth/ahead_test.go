package auth_test

import (
	"context"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// Handshake, "Speculative Authentication": the hello carries the first message of the mechanism. Without a mechanism
// that is SCRAM-SHA-256, and the hello asks for the user's mechanisms.
func TestWhatTravelsWithTheHello(t *testing.T) {
	for _, tt := range []struct{ mechanism, source, ahead, user string }{
		{"", "admin", "SCRAM-SHA-256", "admin.ada"},
		{"SCRAM-SHA-256", "admin", "SCRAM-SHA-256", ""},
		{"SCRAM-SHA-1", "shop", "SCRAM-SHA-1", ""},
		{"MONGODB-X509", "$external", "MONGODB-X509", ""},
		{"PLAIN", "$external", "", ""},
	} {
		a, err := auth.New(credential(tt.mechanism, tt.source, "ada", "secret"), auth.Config{})
		if err != nil {
			t.Fatal(err)
		}
		attempt, err := a.Begin(t.Context(), "a:1")
		if err != nil {
			t.Fatal(err)
		}
		var h conn.Handshake
		if err := attempt.AddTo(t.Context(), &h); err != nil {
			t.Fatal(err)
		}
		mechanism, _ := h.SpeculativeAuthenticate.Lookup("mechanism").StringOK()
		db, _ := h.SpeculativeAuthenticate.Lookup("db").StringOK()
		if mechanism != tt.ahead || h.NegotiateUser != tt.user || tt.ahead != "" && db != tt.source {
			t.Errorf("%q: %q ahead for %q, saslSupportedMechs %q", tt.mechanism, mechanism, db, h.NegotiateUser)
		}
	}
}

type ownConversation struct{ t *testing.T }

func (c ownConversation) Start(context.Context, *options.Credential, string) (options.Conversation, error) {
	return c, nil
}

func (c ownConversation) Next(context.Context, []byte) (payload []byte, done bool, err error) {
	c.t.Error("the conversation began")
	return nil, false, nil
}

// A conversation of the program begins after the hello, even for a mechanism that the driver would begin in the hello.
func TestOwnConversationsDoNotTravelWithTheHello(t *testing.T) {
	c := credential("SCRAM-SHA-256", "admin", "ada", "secret")
	c.Mechanism = ownConversation{t}
	a, err := auth.New(c, auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	attempt, err := a.Begin(t.Context(), "a:1")
	if err != nil {
		t.Fatal(err)
	}
	var h conn.Handshake
	if err := attempt.AddTo(t.Context(), &h); err != nil || h.SpeculativeAuthenticate != nil {
		t.Errorf("%v travels ahead, %v", h.SpeculativeAuthenticate, err)
	}
}

// The driver sends user names unchanged, in saslSupportedMechs and in conversations, because the server looks users up
// by them.
//
// Auth, "Mechanism Negotiation via Handshake" and "SCRAM-SHA-256".
func TestNamesOfUsersTravelAsTheyAre(t *testing.T) {
	for _, name := range []string{"I\u00adX", "\u2168", "Ａda", "Ada"} { // SASLprep turns the first three into others
		a, err := auth.New(credential("", "admin", name, "secret"), auth.Config{})
		if err != nil {
			t.Fatal(err)
		}
		attempt, err := a.Begin(t.Context(), "a:1")
		if err != nil {
			t.Fatal(err)
		}
		var h conn.Handshake
		if err := attempt.AddTo(t.Context(), &h); err != nil {
			t.Fatal(err)
		}
		_, payload, _ := h.SpeculativeAuthenticate.Lookup("payload").BinaryOK()
		if h.NegotiateUser != "admin."+name || !strings.HasPrefix(string(payload), "n,,n="+name+",r=") {
			t.Errorf("%q: saslSupportedMechs %q, payload %q", name, h.NegotiateUser, payload)
		}
	}
}
