package observe

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/logmsg"
)

// textLogger writes the lines of a slog.TextHandler. To call that handler, or any other by slog's interface, links
// encoding/json into the program.
type textLogger struct {
	mu  sync.Mutex
	out io.Writer
}

// Enabled lets all messages pass.
func (*textLogger) Enabled(_ context.Context, level slog.Level) bool {
	return level >= logmsg.Trace.Slog()
}

// LogAttrs writes a line. It calls Write once.
func (t *textLogger) LogAttrs(_ context.Context, level slog.Level, msg string, attrs ...slog.Attr) {
	line := time.Now().AppendFormat([]byte("time="), "2006-01-02T15:04:05.000Z07:00")
	line = append(line, " level="+level.String()+" msg="...)
	line = append(appendAttrs(appendQuoted(line, msg), attrs), '\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.out.Write(line)
}

// appendAttrs appends attributes, with a space before each.
func appendAttrs(dst []byte, attrs []slog.Attr) []byte {
	for _, a := range attrs {
		dst = append(appendQuoted(append(dst, ' '), a.Key), '=')
		if a.Value.Kind() == slog.KindAny {
			dst = appendQuoted(dst, fmt.Sprintf("%+v", a.Value.Any()))
			continue
		}
		dst = appendQuoted(dst, a.Value.String())
	}
	return dst
}

func appendQuoted(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, `""`...)
	}
	for i, r := range s {
		invalid := r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r)
		if r == '=' || r == '"' || invalid && s[i] != 0x7f {
			return strconv.AppendQuote(dst, s)
		}
	}
	return append(dst, s...)
}
