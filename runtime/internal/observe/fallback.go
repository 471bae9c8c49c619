package observe

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
)

// fallback is for messages of a client without a logger. It writes what slog.Default would write, by way of package
// log, which slog.SetDefault connects to the new logger: to call slog's own handler links encoding/json into every
// program. A logger that the program set gets the message at the level of package log, INFO unless
// slog.SetLogLoggerLevel says otherwise, with the true level before the text.
type fallback struct{}

// Enabled reports whether slog.Default wants the level.
func (fallback) Enabled(ctx context.Context, level slog.Level) bool {
	return slog.Default().Enabled(ctx, level)
}

// LogAttrs logs a message if slog.Default wants its level. It goes to standard error if slog.Default wants that level
// but not the one of package log, so that no message is lost.
func (f fallback) LogAttrs(ctx context.Context, level slog.Level, msg string, attrs ...slog.Attr) {
	if !f.Enabled(ctx, level) {
		return
	}
	line := string(appendAttrs([]byte(level.String()+" "+msg), attrs))
	replaced := fmt.Sprintf("%T", slog.Default().Handler()) != "*slog.defaultHandler"
	if replaced && !f.Enabled(ctx, slog.LevelInfo) {
		fmt.Fprintln(os.Stderr, line)
		return
	}
	log.Print(line)
}
