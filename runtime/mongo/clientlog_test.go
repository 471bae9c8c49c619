package mongo_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// logs remembers log records.
type logs struct {
	mu      sync.Mutex
	records []slog.Record
}

func (*logs) Enabled(context.Context, slog.Level) bool { return true }
func (l *logs) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l *logs) WithGroup(string) slog.Handler          { return l }
func (l *logs) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r.Clone())
	return nil
}

// messagesWith returns the messages that carry an attribute with the value, in order, and the attributes of the first
// one.
func (l *logs) messagesWith(key string, value any) (messages []string, first map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		attrs := map[string]any{}
		r.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value.Any(); return true })
		if attrs[key] == value {
			messages = append(messages, r.Message)
			if first == nil {
				first = attrs
			}
		}
	}
	return messages, first
}

func TestLogsTellTheStoryOfAnOperation(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	l := &logs{}
	client, events := connectRecorded(t, d, &options.Client{Logger: slog.New(l)})
	if _, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	started := events.commands("insert")[0]
	got, _ := l.messagesWith("operationId", started.OperationID)
	got = slices.DeleteFunc(got, func(m string) bool { return m == "Waiting for suitable server to become available" })
	want := []string{"Server selection started", "Server selection succeeded", "Command started", "Command succeeded"}
	if !slices.Equal(got, want) {
		t.Errorf("messages of the operation: %q, want %q", got, want)
	}
	_, attrs := l.messagesWith("requestId", started.RequestID)
	if attrs["commandName"] != "insert" || attrs["databaseName"] != "shop" {
		t.Errorf("Command started has %v", attrs)
	}
	text, _ := attrs["command"].(string)
	if raw, err := bson.ExtJSONToRaw([]byte(text), false); err != nil || raw.Lookup("documents", "0", "_id").IsZero() {
		t.Errorf("the command that is logged lacks its documents: %q", text)
	}
}

// explosive panics when it is encoded.
type explosive struct{}

func (explosive) MarshalBSON() ([]byte, error) { panic("encoding") }

func TestPanicOfADocumentGivesTheConnectionBack(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d, &options.Client{MaxPoolSize: new(1), WaitQueueTimeout: new(time.Minute)})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		client.Database("shop").Collection("things").FindOne(t.Context(), bson.D{}, &options.FindOne{Hint: explosive{}})
	}()
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Errorf("the only connection is lost: %v", err)
	}
}
