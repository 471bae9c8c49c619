package mongo_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The log component "operation" says why an operation is retried. It is silent unless it is turned on.
func TestLogExplainsARetry(t *testing.T) {
	for _, tt := range []struct {
		name   string
		levels *options.LogLevels
		says   bool
	}{
		{"asked for", &options.LogLevels{Operation: new(slog.LevelDebug - 4)}, true},
		{"not asked for", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			var log bytes.Buffer
			handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug - 4})
			client := connect(t, d, &options.Client{Logger: slog.New(handler), LogLevels: tt.levels})
			fail(t, d, bson.Doc("times", 1), failCommandData("find", "errorCode", int32(errcode.HostUnreachable)))
			if _, err := client.Database("db").Collection("c").Find(t.Context(), bson.D{}); err != nil {
				t.Fatal(err)
			}
			if err := client.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(log.String(), "again: ReadAfter"); got != tt.says {
				t.Errorf("the log says\n%s", &log)
			}
		})
	}
}

// The log says which rows decided the time of an operation and of the commands of its cursor.
func TestLogExplainsTheTime(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	var log bytes.Buffer
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug - 4})
	client := connect(t, d, &options.Client{Logger: slog.New(handler), LogLevels: &options.LogLevels{Operation: new(slog.LevelDebug - 4)}})
	c := client.Database("db").Collection("c")
	if _, err := c.InsertMany(t.Context(), []any{bson.D{}, bson.D{}, bson.D{}}); err != nil {
		t.Fatal(err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{Timeout: new(time.Hour), BatchSize: new(int32(2))})
	if err != nil {
		t.Fatal(err)
	}
	var all []bson.Raw
	if err := cursor.All(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"clock: None", "clock: OfOperation", "bound: Operation", "event=GetMore verdict=ContextAlone", "maxTime: Batch"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &log)
		}
	}
}
