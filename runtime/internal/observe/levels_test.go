package observe

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/options"
)

// Logging, "Per-Component Configuration of Log Levels", "Configurable Max Document Length", "Supporting Both
// Programmatic and Environment Variable Configuration".
func TestLevelsOfOptionsAndEnvironment(t *testing.T) {
	const command, length = "MONGODB_LOG_COMMAND", logmsg.EnvMaxDocumentLength
	level := func(l logmsg.Level) *slog.Level { return new(l.Slog()) }
	commands := func(l logmsg.Level) *options.LogLevels { return &options.LogLevels{Command: level(l)} }
	for _, tt := range []struct {
		name              string
		options           options.Client
		env               map[string]string
		command, topology slog.Level
		length            int
	}{
		{"all", options.Client{}, map[string]string{logmsg.EnvAll: "info"}, logmsg.Informational.Slog(), logmsg.Informational.Slog(), 1000},
		{"a component beside all, more verbose", options.Client{}, map[string]string{logmsg.EnvAll: "info", command: "trace"},
			logmsg.Trace.Slog(), logmsg.Informational.Slog(), 1000},
		{"a component beside all, less verbose", options.Client{}, map[string]string{logmsg.EnvAll: "trace", command: "error"},
			logmsg.Error.Slog(), logmsg.Trace.Slog(), 1000},
		{"no level at all", options.Client{}, map[string]string{logmsg.EnvAll: "loud", command: "error"}, logmsg.Error.Slog(), noLevel, 1000},
		{"no level for a component", options.Client{}, map[string]string{logmsg.EnvAll: "info", command: "loud"},
			logmsg.Informational.Slog(), logmsg.Informational.Slog(), 1000},
		{"options come first", options.Client{LogLevels: commands(logmsg.Error)}, map[string]string{command: "trace", logmsg.EnvAll: "info"},
			logmsg.Error.Slog(), logmsg.Informational.Slog(), 1000},
		{"all components of the options", options.Client{LogLevels: &options.LogLevels{All: level(logmsg.Informational)}}, nil,
			logmsg.Informational.Slog(), logmsg.Informational.Slog(), 1000},
		{"a component of the options beside all, less verbose",
			options.Client{LogLevels: &options.LogLevels{All: level(logmsg.Informational), Command: level(logmsg.Error)}}, nil,
			logmsg.Informational.Slog(), logmsg.Informational.Slog(), 1000},
		{"a component of the options beside all, more verbose",
			options.Client{LogLevels: &options.LogLevels{All: level(logmsg.Informational), Command: level(logmsg.Trace)}}, nil,
			logmsg.Trace.Slog(), logmsg.Informational.Slog(), 1000},
		{"a length", options.Client{}, map[string]string{command: "error", length: "7"}, logmsg.Error.Slog(), noLevel, 7},
		{"the length of the options comes first", options.Client{MaxLogDocumentLength: new(5)},
			map[string]string{command: "error", length: "7"}, logmsg.Error.Slog(), noLevel, 5},
		{"no length", options.Client{}, map[string]string{command: "error", length: "long"}, logmsg.Error.Slog(), noLevel, 1000},
		{"a length below zero", options.Client{}, map[string]string{command: "error", length: "-7"}, logmsg.Error.Slog(), noLevel, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Logger = slog.New(slog.DiscardHandler)
			l := NewLogger(&tt.options, func(name string) string { return tt.env[name] })
			if l.min[logmsg.Command] != tt.command || l.min[logmsg.Topology] != tt.topology || l.MaxDocumentLength != tt.length {
				t.Errorf("command %v, topology %v, length %d", l.min[logmsg.Command], l.min[logmsg.Topology], l.MaxDocumentLength)
			}
		})
	}
}

// Logging, "Configurable Log Destination": a log file is continued.
func TestALogFileIsAppendedTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{logmsg.EnvAll: "error", logmsg.EnvPath: path}
	for _, text := range []string{"first", "second"} {
		l := NewLogger(&options.Client{}, func(name string) string { return env[name] })
		l.Warn(context.Background(), text)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(string(text), "\n"); len(lines) != 4 || lines[0] != "before" ||
		!strings.HasSuffix(lines[1], "msg=first") || !strings.HasSuffix(lines[2], "msg=second") {
		t.Errorf("the file has %q", text)
	}
}
