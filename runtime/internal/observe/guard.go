package observe

import (
	"log/slog"
	"runtime/debug"
)

// Guard calls a listener. A listener that panics is reported to the default logger, and the driver goes on.
func Guard(listener func()) {
	defer func() {
		if reason := recover(); reason != nil {
			slog.Default().Error("mongo: an event listener panicked", "reason", reason, "stack", string(debug.Stack()))
		}
	}()
	listener()
}
