package observe

import (
	"log/slog"
	"testing"

	"github.com/specdrivers/onion/generated/core/logmsg"
)

func TestLevelsFromEnv(t *testing.T) {
	variables := map[string]string{}
	getenv := func(name string) string { return variables[name] }
	want := func(first, others logmsg.Level) {
		t.Helper()
		for c, l := range levelsFromEnv(getenv) {
			if w := map[bool]logmsg.Level{true: first, false: others}[c == 0]; l != w {
				t.Errorf("%v: level of %v is %v, want %v", variables, logmsg.Component(c), l, w)
			}
		}
	}
	want(logmsg.Off, logmsg.Off)
	variables[logmsg.EnvAll] = "DEBUG"
	want(logmsg.Debug, logmsg.Debug)
	variables[logmsg.Component(0).Env()] = "off"
	want(logmsg.Off, logmsg.Debug)
	variables[logmsg.Component(0).Env()] = "loud"
	want(logmsg.Debug, logmsg.Debug)
	if logmsg.Off.Slog() <= slog.LevelError || logmsg.Debug.Slog() != slog.LevelDebug {
		t.Errorf("Off.Slog() = %v, logmsg.Debug.Slog() = %v", logmsg.Off.Slog(), logmsg.Debug.Slog())
	}
}

func TestMaxDocumentLengthFromEnv(t *testing.T) {
	for value, want := range map[string]int{"": logmsg.DefaultMaxDocumentLength, "5": 5, "-1": logmsg.DefaultMaxDocumentLength, "all": logmsg.DefaultMaxDocumentLength} {
		if got := maxDocumentLengthFromEnv(func(string) string { return value }); got != want {
			t.Errorf("MaxDocumentLengthFromEnv() of %q = %d, want %d", value, got, want)
		}
	}
}
