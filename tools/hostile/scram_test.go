package hostile_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/hostile"
)

// The driver refuses to authenticate with a server that does not follow SCRAM, at once and without a long key
// derivation.
func TestSCRAMServers(t *testing.T) {
	var list []attack
	for _, tt := range []struct{ name, first, wants string }{
		{"all iterations", "r=%sabc,s=c2FsdHNhbHQ=,i=2147483647", "more than 1000000"},
		{"more iterations than a number holds", "r=%sabc,s=c2FsdHNhbHQ=,i=99999999999999999999", "SCRAM"},
		{"one iteration", "r=%sabc,s=c2FsdHNhbHQ=,i=1", "fewer than 4096"},
		{"negative iterations", "r=%sabc,s=c2FsdHNhbHQ=,i=-1", "fewer than 4096"},
		{"a nonce of its own", "r=abcdefghijklmnopqrstuvwxyz,s=c2FsdHNhbHQ=,i=4096", "nonce"},
		{"a nonce that adds nothing", "r=%s,s=c2FsdHNhbHQ=,i=4096", "nonce"},
		{"no salt", "r=%sabc,s=,i=4096", "salt"},
		{"no message", "", "SCRAM"},
		{"a megabyte of commas", strings.Repeat(",", 1<<20), "SCRAM"},
		{"an error", "e=other-error", "SCRAM"},
		{"an extension that must be understood", "m=x,r=%sabc,s=c2FsdHNhbHQ=,i=4096", "SCRAM"},
		{"no proof", "r=%sabc,s=c2FsdHNhbHQ=,i=4096", "SCRAM"}, // saslContinue is answered by the honest server
	} {
		list = append(list, attack{name: tt.name, command: "saslStart", wants: tt.wants, reply: func(r hostile.Request) []byte {
			payload := strings.Replace(tt.first, "%s", nonce(r), 1)
			return hostile.Message(r, bson.Doc("ok", 1, "conversationId", 1, "done", false, "payload", []byte(payload)))
		}})
	}
	for _, tt := range []struct {
		name  string
		reply bson.D
	}{
		{"done before it began", bson.Doc("ok", 1, "conversationId", 1, "done", true, "payload", []byte{})},
		{"a payload that is text", bson.Doc("ok", 1, "conversationId", 1, "done", false, "payload", "r=x")},
		{"no payload", bson.Doc("ok", 1)},
		{"a conversation that is text", bson.Doc("ok", 1, "conversationId", "x", "done", false, "payload", []byte("x"))},
		{"refused", bson.Doc("ok", 0, "code", 18, "errmsg", "Authentication failed.")},
	} {
		list = append(list, attack{name: tt.name, command: "saslStart", reply: func(r hostile.Request) []byte {
			return hostile.Message(r, tt.reply)
		}})
	}
	for i := range list {
		list[i].options = &options.Client{Auth: &options.Credential{
			Username: new("user"), Password: new("hunter2"), AuthMechanism: new("SCRAM-SHA-256"),
		}}
	}
	attackAll(t, list)
}

// nonce returns the client's nonce in the payload of saslStart.
func nonce(r hostile.Request) string {
	_, payload, _ := r.Body.Lookup("payload").BinaryOK()
	_, after, _ := strings.Cut(string(payload), "r=")
	return after
}
