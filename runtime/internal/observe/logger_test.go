package observe

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/options"
)

// Logging, "Configurable Log Destination": if the path cannot be opened, the driver logs to standard error, and the
// client works.
func TestLogPath(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name, path string
		stderr     bool
	}{
		{"a new file", filepath.Join(dir, "log"), false},
		{"a directory that does not exist", filepath.Join(dir, "none", "log"), true},
		{"a directory", dir, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer stderr.Close()
			before := os.Stderr
			os.Stderr = stderr
			defer func() { os.Stderr = before }()

			env := map[string]string{logmsg.EnvAll: "debug", logmsg.EnvPath: tt.path}
			l := NewLogger(&options.Client{}, func(name string) string { return env[name] })
			l.Log(context.Background(), &logmsg.StartingTopologyMonitoring{TopologyID: bson.NewObjectID()})
			if err := l.Close(); err != nil {
				t.Error(err)
			}

			target := tt.path
			if tt.stderr {
				target = stderr.Name()
			}
			text, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), "Starting topology monitoring") {
				t.Errorf("%s has %q", target, text)
			}
			if warned := strings.Contains(string(text), logmsg.EnvPath) && strings.Contains(string(text), "; the messages go to standard error\"\n"); warned != tt.stderr {
				t.Errorf("a warning about the path: %v, want %v", warned, tt.stderr)
			}
		})
	}
}

// A nil *slog.Logger in the option counts as no logger.
func TestANilLoggerLogsNothing(t *testing.T) {
	if l := NewLogger(&options.Client{Logger: (*slog.Logger)(nil)}, func(string) string { return "" }); l != nil {
		t.Errorf("the logger is %+v", l)
	}
}

// Each line in a file or on standard error has the form of slog's text handler, at every level of a component.
func TestLinesOfALogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	env := map[string]string{logmsg.EnvAll: "trace", logmsg.EnvPath: path}
	l := NewLogger(&options.Client{}, func(name string) string { return env[name] })
	l.Warn(context.Background(), "x = y\nz")
	l.out.LogAttrs(context.Background(), logmsg.Trace.Slog(), "Command started", slog.Any("command", `{"find": "c"}`))
	l.out.LogAttrs(context.Background(), logmsg.Trace.Slog()-1, "none")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		_, line, _ = strings.Cut(line, " ") // without the time
		lines = append(lines, line)
	}
	want := []string{
		"level=WARN msg=\"x = y\\nz\"\n",
		"level=" + logmsg.Trace.Slog().String() + " msg=\"Command started\" command=\"{\\\"find\\\": \\\"c\\\"}\"\n",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

// Every message names its component at the end.
func TestMessagesNameTheirComponent(t *testing.T) {
	l, text := textLogger(true)
	l.Log(context.Background(), &logmsg.ConnectionCheckoutStarted{})
	if got := strings.TrimSpace(text.String()); !strings.HasSuffix(got, " component="+logmsg.Connection.String()) || strings.Contains(got, `""=`) {
		t.Errorf("%q", got)
	}
}

// Close closes the file; a logger without one has nothing to close.
func TestCloseOfALogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := NewLogger(&options.Client{}, func(name string) string { return map[string]string{logmsg.EnvAll: "error", logmsg.EnvPath: path}[name] })
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("it was open: %v", err)
	}
	var none *Logger
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// A client without a logger warns through the program's default logger, at the level of the warning.
func TestAWarningReachesTheDefaultLogger(t *testing.T) {
	for level, want := range map[slog.Level]string{
		slog.LevelInfo: "level=WARN msg=\"mongo: w\"\n", slog.LevelWarn: "level=WARN msg=\"mongo: w\"\n", slog.LevelError: "",
	} {
		var out strings.Builder
		setDefault(t, slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
		(*Logger)(nil).Warn(context.Background(), "w")
		if _, line, _ := strings.Cut(out.String(), " "); line != want {
			t.Errorf("%s: got %q, want %q", level, line, want)
		}
	}
}

// setDefault replaces slog.Default for a test. It puts package log back too, whose writer slog.SetDefault replaces.
func setDefault(t *testing.T, h slog.Handler) {
	before, writer, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(writer)
		log.SetFlags(flags)
	})
	slog.SetDefault(slog.New(h))
}
