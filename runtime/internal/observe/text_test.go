package observe

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"regexp"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/logmsg"
)

var timeOfLine = regexp.MustCompile(`^time=(\S+) `)

// lines are what this package and package slog write for a message, without the time.
func lines(t *testing.T, level slog.Level, msg string, attrs ...slog.Attr) (own, theirs string) {
	t.Helper()
	var a, b bytes.Buffer
	before := time.Now().Truncate(time.Millisecond)
	(&textLogger{out: &a}).LogAttrs(context.Background(), level, msg, attrs...)
	slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: logmsg.Trace.Slog()})).LogAttrs(context.Background(), level, msg, attrs...)
	for _, out := range []*bytes.Buffer{&a, &b} {
		found := timeOfLine.FindSubmatch(out.Bytes())
		if found == nil {
			t.Fatalf("no time: %s", out)
		}
		at, err := time.Parse("2006-01-02T15:04:05.000Z07:00", string(found[1]))
		if err != nil || at.Before(before) || at.After(time.Now()) {
			t.Fatalf("%s, %v", out, err)
		}
		out.Next(len(found[0]))
	}
	return a.String(), b.String()
}

func TestLinesAreThoseOfATextHandler(t *testing.T) {
	for level := logmsg.Trace.Slog(); level <= logmsg.Emergency.Slog(); level++ {
		own, theirs := lines(t, level, "Command started", slog.String("a b", "c"), slog.Int64("n", -5), slog.Float64("f", 1e30),
			slog.Bool("b", true), slog.Any("error", errors.New("x = y")), slog.Any("plain", 7), slog.Any("any", struct{ A int }{1}),
			slog.String("empty", ""))
		if own != theirs {
			t.Errorf("%s instead of %s", own, theirs)
		}
	}
	for c := rune(0); c < 0x3000; c++ {
		if own, theirs := lines(t, slog.LevelInfo, "a"+string(c), slog.String("k"+string(c), string(c))); own != theirs {
			t.Errorf("%q: %s instead of %s", c, own, theirs)
		}
	}
}

func FuzzTextLine(f *testing.F) {
	f.Add("Command started", "command", "{\"find\": \"x\\y\"}\xff\u00a0\ufffd\x7f")
	f.Fuzz(func(t *testing.T, msg, key, value string) {
		if key == "" {
			t.Skip("no attribute of this driver is without a key")
		}
		if own, theirs := lines(t, slog.LevelWarn, msg, slog.String(key, value)); own != theirs {
			t.Errorf("%s instead of %s", own, theirs)
		}
	})
}
