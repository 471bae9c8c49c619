package unified

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// LogLevels are the least severe levels that a client logs, by component.
type LogLevels struct {
	Command, Topology, ServerSelection, Connection string
}

func (l LogLevels) levels() *options.LogLevels {
	return &options.LogLevels{
		Command: levelOf(l.Command), Topology: levelOf(l.Topology), ServerSelection: levelOf(l.ServerSelection),
		Connection: levelOf(l.Connection),
	}
}

// Logs are the messages that a client must have logged.
type Logs struct {
	IgnoreExtra bool
	Ignored     []Log
	Messages    []Log
}

// Log is a message, or what one must look like. Unified Test Format, "expectedLogMessage".
type Log struct {
	Level, Component  string
	FailureIsRedacted *bool
	Data              any
}

// logCollector keeps log messages.
type logCollector struct {
	client   *clientState
	messages []Log
}

func (*logCollector) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler.
func (l *logCollector) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements slog.Handler.
func (l *logCollector) WithGroup(string) slog.Handler { return l }

// Handle implements slog.Handler.
func (l *logCollector) Handle(_ context.Context, r slog.Record) error {
	m := Log{Level: levelName(r.Level)}
	data := bson.Doc("message", r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "component" {
			m.Component = a.Value.String()
			return true
		}
		data = append(data, bson.E{Key: a.Key, Value: logValue(a.Value)})
		return true
	})
	m.Data = data
	l.client.mu.Lock()
	defer l.client.mu.Unlock()
	if !l.client.deaf {
		l.messages = append(l.messages, m)
	}
	return nil
}

// logValue returns an attribute as a BSON value.
func logValue(v slog.Value) any {
	switch v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool, slog.KindString:
		return v.Any()
	case slog.KindDuration:
		return v.Duration().Milliseconds()
	}
	switch x := v.Any().(type) {
	case error:
		return x.Error()
	case bson.ObjectID:
		return x
	case nil:
		return nil
	}
	return fmt.Sprint(v.Any())
}

// Logs asserts what the client has logged.
func (c *Client) Logs(want Logs) {
	c.run.t.Helper()
	c.mu.Lock()
	var got []Log
	if c.logs != nil { // a client that observes no messages has none
		for _, m := range c.logs.messages {
			if !want.ignores(m) {
				got = append(got, m)
			}
		}
	}
	c.mu.Unlock()
	for i, w := range want.Messages {
		if i >= len(got) {
			c.run.t.Errorf("message %d is missing\n%s", i, logList(got))
			return
		}
		if err := w.matches(got[i]); err != nil {
			c.run.t.Errorf("message %d: %v\n%s", i, err, logList(got))
			return
		}
	}
	if len(got) > len(want.Messages) && !want.IgnoreExtra {
		c.run.t.Errorf("there are messages too many\n%s", logList(got))
	}
}

func (want Logs) ignores(m Log) bool {
	for _, i := range want.Ignored {
		if i.matches(m) == nil {
			return true
		}
	}
	return false
}

func (want Log) matches(got Log) error {
	if want.Level != got.Level || !strings.EqualFold(want.Component, got.Component) {
		return fmt.Errorf("got %s of %s, want %s of %s", got.Level, got.Component, want.Level, want.Component)
	}
	if want.FailureIsRedacted != nil {
		failure, ok := got.Data.(bson.D).Lookup("failure")
		if !ok {
			return fmt.Errorf("there is no failure")
		}
		text, _ := failure.(string)
		if redacted := isRedacted(text); redacted != *want.FailureIsRedacted {
			return fmt.Errorf("the failure %q is redacted: %v", text, redacted)
		}
	}
	return matcher{}.match(want.Data, raw(got.Data), true, "data")
}

// isRedacted reports whether nothing of a failure is left but codes and labels.
func isRedacted(failure string) bool { return strings.Contains(strings.ToLower(failure), "redacted") }

func logList(list []Log) string {
	text := fmt.Sprintf("%d messages:", len(list))
	for i, m := range list {
		text += fmt.Sprintf("\n\t%d %s %s %v", i, m.Level, m.Component, m.Data)
	}
	return text
}

// levelNames maps slog's levels to the logging specification's. Logging, "Log Severity Levels".
var levelNames = []struct {
	name  string
	level slog.Level
}{
	{"trace", slog.LevelDebug - 4}, {"debug", slog.LevelDebug}, {"info", slog.LevelInfo}, {"notice", slog.LevelInfo + 2},
	{"warning", slog.LevelWarn}, {"error", slog.LevelError}, {"critical", slog.LevelError + 4},
	{"alert", slog.LevelError + 8}, {"emergency", slog.LevelError + 12},
}

func levelOf(name string) *slog.Level {
	for _, l := range levelNames {
		if l.name == name {
			return new(l.level)
		}
	}
	return nil
}

func levelName(level slog.Level) string {
	for _, l := range levelNames {
		if l.level == level {
			return l.name
		}
	}
	return level.String()
}
