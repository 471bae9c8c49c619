package observe

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

func TestFallbackWritesWhatSlogWrites(t *testing.T) {
	writer, flags := log.Writer(), log.Flags()
	t.Cleanup(func() { log.SetOutput(writer); log.SetFlags(flags) })
	var out bytes.Buffer
	log.SetOutput(&out)
	log.SetFlags(log.Lmsgprefix)
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		attrs := []slog.Attr{slog.Any("reason", "a = b"), slog.String("stack", "c\nd")}
		slog.Default().LogAttrs(context.Background(), level, "mongo: x y", attrs...)
		want := out.String()
		out.Reset()
		fallback{}.LogAttrs(context.Background(), level, "mongo: x y", attrs...)
		if out.String() != want {
			t.Errorf("%s: %q instead of %q", level, &out, want)
		}
		out.Reset()
	}
}

func TestFallbackReachesAReplacedDefault(t *testing.T) {
	for _, tt := range []struct {
		name       string
		min        slog.Level
		log, lines string
	}{
		{"INFO", slog.LevelInfo, "level=INFO msg=\"WARN mongo: w\"\n", ""},
		{"WARN", slog.LevelWarn, "", "WARN mongo: w\n"},
		{"ERROR", slog.LevelError, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			setDefault(t, slog.NewTextHandler(&out, &slog.HandlerOptions{Level: tt.min}))
			lines := standardError(t, func() { (*Logger)(nil).Warn(context.Background(), "w") })
			_, own, _ := strings.Cut(out.String(), " ") // behind the time
			if own != tt.log || lines != tt.lines {
				t.Errorf("%q and, on standard error, %q", own, lines)
			}
		})
	}
}

func standardError(t *testing.T, do func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before := os.Stderr
	os.Stderr = file
	do()
	os.Stderr = before
	out, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
