package observe

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/specdrivers/onion/generated/options"
)

// Guard calls code of the program: a listener or the handler of its logger. If that code panics, Guard logs the panic
// and the driver goes on. Code that only observes must not take the program down, and its failure must not go
// unnoticed.
func (l *Logger) Guard(listener func()) {
	defer func() {
		if reason := recover(); reason != nil {
			l.logPanic(reason, string(debug.Stack()))
		}
	}()
	listener()
}

// logPanic logs to the client's logger. It uses the program's log if there is no other, or if the client's logger
// panics.
func (l *Logger) logPanic(reason any, stack string) {
	report := func(out options.Logger) {
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

// Deliver sends an event to a listener, if there is one.
func Deliver[E any](l *Logger, listener func(*E), e *E) {
	if listener != nil {
		l.Guard(func() { listener(e) })
	}
}
