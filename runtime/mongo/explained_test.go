package mongo_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// explanationLog collects the explanations in a log.
type explanationLog struct {
	mu    sync.Mutex
	lines []string
}

func (d *explanationLog) Enabled(context.Context, slog.Level) bool { return true }
func (d *explanationLog) WithAttrs([]slog.Attr) slog.Handler       { return d }
func (d *explanationLog) WithGroup(string) slog.Handler            { return d }
func (d *explanationLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "Operation decided" {
		fields := map[string]string{}
		r.Attrs(func(a slog.Attr) bool { fields[a.Key] = a.Value.String(); return true })
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lines = append(d.lines, fields["operation"]+": "+fields["event"]+", "+fields["verdict"]+", "+fields["rows"])
	}
	return nil
}

// takeLine reports whether a line begins so, and removes the lines up to the first such line.
func (d *explanationLog) takeLine(begins string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, line := range d.lines {
		if strings.HasPrefix(line, begins) {
			d.lines = d.lines[i+1:]
			return true
		}
	}
	return false
}

// The log explains the decisions around commands, too, in a component of its own that is off by default.
func TestStreamsAndTransactionsAreExplained(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	for _, asked := range []bool{false, true} {
		var log explanationLog
		o := &options.Client{Logger: slog.New(&log)}
		if asked {
			o.LogLevels = &options.LogLevels{Operation: new(slog.LevelDebug - 4)}
		}
		c, err := mongo.Connect(t.Context(), d.URI(), o)
		if err != nil {
			t.Fatal(err)
		}
		things := c.Database("db").Collection("things")
		stream, err := things.Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		err = c.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := things.InsertOne(ctx, bson.D{})
				return err
			})
		})
		if err != nil || !stream.Next(t.Context()) {
			t.Fatal(err, stream.Err())
		}
		stream.Close(t.Context())
		if !asked && len(log.lines) > 0 {
			t.Errorf("nobody asked for %q", log.lines)
		}
		for _, line := range []string{
			"watch: Watched, Aggregate, ", "watch: Answered, ", "withTransaction: Begun, Start, ", "withTransaction: Returned, Commit, ",
			"watch: Closed, Finish, ",
		} {
			if asked && !log.takeLine(line) {
				t.Errorf("%q is missing, or comes too early; left are %q", line, log.lines)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
