package observe

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/options"
)

// noLevel is a minimum level that no message reaches.
const noLevel = slog.Level(1 << 20)

// Logger sends the messages that the client wants to its options.Logger. A nil Logger sends none. It is safe for
// concurrent use.
type Logger struct {
	out options.Logger
	min [logmsg.ComponentCount]slog.Level

	// MaxDocumentLength limits how many bytes of a document's text a message shows.
	MaxDocumentLength int

	file io.Closer // the file that MONGODB_LOG_PATH names, nil if it names none
}

// NewLogger sets up logging from the client's options, and from the environment where no option is set. If there is a
// Logger in the options and no level is set anywhere, that logger decides alone. NewLogger returns nil when nothing is
// logged.
func NewLogger(o *options.Client, getenv func(string) string) *Logger {
	l := &Logger{out: loggerOf(o), MaxDocumentLength: maxDocumentLengthFromEnv(getenv)}
	if o.MaxLogDocumentLength != nil {
		l.MaxDocumentLength = *o.MaxLogDocumentLength
	}
	l.min = levels(o, getenv)
	wanted := false
	for _, level := range l.min {
		wanted = wanted || level < noLevel
	}
	if !wanted {
		return nil
	}
	if l.out == nil {
		l.open(getenv(logmsg.EnvPath))
	}
	return l
}

// loggerOf returns the logger of the options, and nil if that is a nil *slog.Logger.
func loggerOf(o *options.Client) options.Logger {
	if own, ok := o.Logger.(*slog.Logger); ok && own == nil {
		return nil
	}
	return o.Logger
}

// levels returns the least severe level that each component logs. Options take precedence over the environment.
func levels(o *options.Client, getenv func(string) string) [logmsg.ComponentCount]slog.Level {
	var out [logmsg.ComponentCount]slog.Level
	fromEnv := levelsFromEnv(getenv)
	anyEnv := false
	for _, level := range fromEnv {
		anyEnv = anyEnv || level != logmsg.Off
	}
	for i, level := range fromEnv {
		switch {
		case level != logmsg.Off:
			out[i] = level.Slog()
		case loggerOf(o) != nil && !anyEnv && o.LogLevels == nil && logmsg.Component(i) != logmsg.Operation:
			out[i] = logmsg.Trace.Slog() // the handler decides
		default:
			out[i] = noLevel
		}
	}
	if o.LogLevels == nil {
		return out
	}
	set := o.LogLevels
	for i, own := range [...]*slog.Level{
		logmsg.Command: set.Command, logmsg.Topology: set.Topology,
		logmsg.ServerSelection: set.ServerSelection, logmsg.Connection: set.Connection, logmsg.Operation: set.Operation,
	} {
		if set.All != nil && (own == nil || *set.All < *own) {
			own = set.All // All overrides a component that is less verbose
		}
		if own != nil {
			out[i] = *own
		}
	}
	return out
}

// open sends the messages to the place that the environment names, or to standard error. A file that cannot be opened
// causes a warning on standard error: a mistake about the log must not stop the program.
//
// Logging, "Configurable Log Destination".
func (l *Logger) open(path string) {
	var out io.Writer = os.Stderr
	var failure error
	switch strings.ToLower(path) {
	case "", logmsg.PathStderr:
	case logmsg.PathStdout:
		out = os.Stdout
	default:
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			failure = err
			break
		}
		out, l.file = file, file
	}
	l.out = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: logmsg.Trace.Slog()}))
	if failure != nil {
		l.Warn(context.Background(), fmt.Sprintf("%s: %v; the messages go to standard error", logmsg.EnvPath, failure))
	}
}

// Enabled reports whether the log wants messages of a component at a level, so that the caller need not build one in
// vain.
func (l *Logger) Enabled(component logmsg.Component, level logmsg.Level) bool {
	if l == nil || level.Slog() < l.min[component] {
		return false
	}
	enabled := false
	l.Guard(func() { enabled = l.out.Enabled(context.Background(), level.Slog()) })
	return enabled
}

// Log sends a message if the log wants it.
func (l *Logger) Log(ctx context.Context, m Message) {
	if !l.Enabled(m.Component(), m.Level()) {
		return
	}
	attrs := m.AppendAttrs(make([]slog.Attr, 0, 20))
	attrs = append(attrs, slog.String("component", m.Component().String()))
	l.Guard(func() { l.out.LogAttrs(ctx, m.Level().Slog(), m.Message(), attrs...) })
}

// Warn logs a text that has no row in the table of messages: a warning about a connection string. Without a logger it
// goes to the program's default logger, because the option that the driver ignores may be the one that asked for TLS.
func (l *Logger) Warn(ctx context.Context, text string) {
	if l == nil {
		slog.Default().LogAttrs(ctx, logmsg.Warning.Slog(), "mongo: "+text)
		return
	}
	l.Guard(func() { l.out.LogAttrs(ctx, logmsg.Warning.Slog(), text) })
}

// Close closes the log file, if the environment named one.
func (l *Logger) Close() error {
	if l == nil || l.file == nil {
		return nil
	}
	return l.file.Close()
}
