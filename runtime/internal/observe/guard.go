package observe

import (
	"context"
	"log/slog"
	"runtime/debug"
)

// Guard calls code of the program: a listener or the handler of its logger. When it panics, that is logged and the driver
// goes on: whoever only watches must not take the program down, and must not fail in silence.
func (l *Logger) Guard(listener func()) {
	defer func() {
		if reason := recover(); reason != nil {
			l.panicked(reason, string(debug.Stack()))
		}
	}()
	listener()
}

// panicked reports to the client's logger, and to the default one if there is none, or if the logger itself panics.
func (l *Logger) panicked(reason any, stack string) {
	report := func(out *slog.Logger) {
		out.LogAttrs(context.Background(), slog.LevelError, "mongo: an event listener panicked",
			slog.Any("reason", reason), slog.String("stack", stack))
	}
	defer func() {
		if recover() != nil {
			report(slog.Default())
		}
	}()
	if l == nil {
		report(slog.Default())
		return
	}
	report(l.out)
}

// Deliver hands an event to a listener, if there is one.
func Deliver[E any](l *Logger, listener func(*E), e *E) {
	if listener != nil {
		l.Guard(func() { listener(e) })
	}
}
