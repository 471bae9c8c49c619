package mongo_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestNetworkErrorOfASensitiveCommandIsLogged follows Command Logging and Monitoring, "Security": the driver redacts a
// server's answer to a sensitive command, but not a network error.
func TestNetworkErrorOfASensitiveCommandIsLogged(t *testing.T) {
	d := mongotest.Start(t)
	l := &logs{}
	client, _ := connectRecorded(t, d, &options.Client{Logger: slog.New(l)})
	admin := client.Database("admin")
	saslStart := bson.Doc("saslStart", 1, "mechanism", "none", "payload", "x")
	if admin.RunCommand(t.Context(), saslStart).Err() == nil {
		t.Fatal("the server accepts no such mechanism")
	}
	fail := bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1),
		"data", bson.Doc("failCommands", bson.A{"saslStart"}, "closeConnection", true))
	if err := admin.RunCommand(t.Context(), fail).Err(); err != nil {
		t.Fatal(err)
	}
	if admin.RunCommand(t.Context(), saslStart).Err() == nil {
		t.Fatal("the fail point did not close the connection")
	}
	failures := l.values("Command failed", "failure")
	if len(failures) != 2 || failures[0] != "REDACTED" || !strings.Contains(failures[1], "network") {
		t.Errorf("failures %q", failures)
	}
}

// TestHeartbeatRepliesAreShownAsFarAsTheOptionSays needs a reply that is longer than the default length.
func TestHeartbeatRepliesAreShownAsFarAsTheOptionSays(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(5), mongotest.SetName(strings.Repeat("s", 800)))
	l := &logs{}
	client, _ := connectRecorded(t, d, &options.Client{Logger: slog.New(l), MaxLogDocumentLength: new(100000)})
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	replies := l.values("Server heartbeat succeeded", "reply")
	if len(replies) == 0 {
		t.Fatal("no heartbeat was logged")
	}
	for _, reply := range replies {
		if _, err := bson.ExtJSONToRaw([]byte(reply), false); err != nil || len(reply) < 1100 {
			t.Errorf("a reply of %d bytes: %v", len(reply), err)
		}
	}
}

// values returns the values of an attribute in all messages of a kind.
func (l *logs) values(message, key string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, r := range l.records {
		if r.Message == message {
			r.Attrs(func(a slog.Attr) bool {
				if a.Key == key {
					out = append(out, a.Value.String())
				}
				return true
			})
		}
	}
	return out
}
