package mongo_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// lastDocument returns the document in the last message of a kind about a command.
func (l *logs) lastDocument(t *testing.T, message, command string) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range slices.Backward(l.records) {
		attrs := map[string]string{}
		r.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value.String(); return true })
		if r.Message == message && attrs["commandName"] == command {
			return attrs["command"] + attrs["reply"] // a message has one of them
		}
	}
	t.Fatalf("no message %q about %s", message, command)
	return ""
}

func newLoggedClient(t *testing.T, limit *int) (*mongo.Client, *logs) {
	t.Helper()
	l := &logs{}
	return connect(t, mongotest.Start(t), &options.Client{
		Logger: slog.New(l), LogLevels: &options.LogLevels{Command: new(slog.LevelDebug)}, MaxLogDocumentLength: limit,
	}), l
}

// TestDefaultTruncationLimit is prose test 1 of Command Logging and Monitoring.
func TestDefaultTruncationLimit(t *testing.T) {
	client, l := newLoggedClient(t, nil)
	things := client.Database("shop").Collection("things")
	docs := make([]bson.D, 100)
	for i := range docs {
		docs[i] = bson.Doc("x", "y")
	}
	if _, err := things.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	const most = logmsg.DefaultMaxDocumentLength + len(logmsg.Ellipsis)
	if got := l.lastDocument(t, "Command started", "insert"); len(got) != most {
		t.Errorf("the insert has %d bytes, want %d", len(got), most)
	}
	if got := l.lastDocument(t, "Command succeeded", "insert"); len(got) > most {
		t.Errorf("the reply to insert has %d bytes, want %d at most", len(got), most)
	}
	if _, err := things.Find(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	if got := l.lastDocument(t, "Command succeeded", "find"); len(got) != most {
		t.Errorf("the reply to find has %d bytes, want %d", len(got), most)
	}
}

// TestExplicitTruncationLimit is prose test 2 of Command Logging and Monitoring.
func TestExplicitTruncationLimit(t *testing.T) {
	client, l := newLoggedClient(t, new(5))
	if err := client.Database("admin").RunCommand(t.Context(), bson.Doc("hello", true)).Err(); err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{"Command started", "Command succeeded"} {
		if got := l.lastDocument(t, message, "hello"); len(got) != 5+len(logmsg.Ellipsis) {
			t.Errorf("%s: %q has %d bytes", message, got, len(got))
		}
	}
}

// TestTruncationOfMultiByteText is prose test 3 of Command Logging and Monitoring. The limit counts bytes, and
// truncation never splits a code point.
func TestTruncationOfMultiByteText(t *testing.T) {
	for limit := 5; limit < 30; limit++ {
		client, l := newLoggedClient(t, &limit)
		things := client.Database("shop").Collection("日本語")
		if _, err := things.InsertOne(t.Context(), bson.Doc("_id", 1, "x", "größe")); err != nil {
			t.Fatal(err)
		}
		got, cut := strings.CutSuffix(l.lastDocument(t, "Command started", "insert"), logmsg.Ellipsis)
		if !cut || !utf8.ValidString(got) || len(got) > limit || len(got) < limit-utf8.UTFMax+1 {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}
