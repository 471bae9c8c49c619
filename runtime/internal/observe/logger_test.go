package observe

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/options"
)

// Logging, "Configurable Log Destination": with a path that is no good the driver logs to standard error, and the client
// works.
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
			if warned := strings.Contains(string(text), logmsg.EnvPath); warned != tt.stderr {
				t.Errorf("a warning about the path: %v, want %v", warned, tt.stderr)
			}
		})
	}
}

// A nil *slog.Logger in the option's interface is no logger.
func TestANilLoggerIsNone(t *testing.T) {
	if l := NewLogger(&options.Client{Logger: (*slog.Logger)(nil)}, func(string) string { return "" }); l != nil {
		t.Errorf("the logger is %+v", l)
	}
}
