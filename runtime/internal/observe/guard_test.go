package observe

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// When a listener panics, the driver logs it with the client's logger, if there is one, and goes on.
func TestPanicsOfListenersAreLogged(t *testing.T) {
	var own, fallback bytes.Buffer
	setDefault(t, slog.NewTextHandler(&fallback, nil))
	client := NewLogger(&options.Client{Logger: slog.New(slog.NewTextHandler(&own, nil))}, func(string) string { return "" })
	broken := &Logger{out: slog.New(panickingHandler{})}
	for _, tt := range []struct {
		name string
		l    *Logger
		out  *bytes.Buffer
	}{
		{"no logger", nil, &fallback}, {"the client's logger", client, &own}, {"a logger that panics", broken, &fallback},
	} {
		t.Run(tt.name, func(t *testing.T) {
			own.Reset()
			fallback.Reset()
			boom := func() { panic("boom at " + tt.name) }
			monitor := &event.PoolMonitor{PoolReady: func(*event.PoolReady) { boom() }}
			Pools(monitor, tt.l).PoolReady(&event.PoolReady{})
			servers := &event.ServerMonitor{
				TopologyClosed:         func(*event.TopologyClosed) { boom() },
				ServerHeartbeatStarted: func(*event.ServerHeartbeatStarted) { boom() },
			}
			topology := NewTopology(bson.ObjectID{}, servers, tt.l)
			topology.PublishAll([]any{&event.TopologyClosed{}})
			topology.HeartbeatStarted(&Heartbeat{})
			if n := strings.Count(tt.out.String(), "boom at "+tt.name); n < 3 {
				t.Errorf("%d of 3 panics were logged: %s", n, tt.out)
			}
		})
	}
}

// panickingHandler is a handler whose methods panic.
type panickingHandler struct{ slog.Handler }

// panickingLogger is a logger that panics when it is asked for its level.
type panickingLogger struct{ options.Logger }

func (panickingLogger) Enabled(context.Context, slog.Level) bool { panic("boom") }
func (panickingLogger) LogAttrs(context.Context, slog.Level, string, ...slog.Attr) {
}

// A logger that panics when it is asked for its level logs nothing, and the driver goes on.
func TestALoggerThatCannotDecide(t *testing.T) {
	setDefault(t, slog.NewTextHandler(io.Discard, nil))
	l := NewLogger(&options.Client{Logger: panickingLogger{}}, func(string) string { return "" })
	if l.Enabled(logmsg.Topology, logmsg.Debug) {
		t.Error("messages are enabled")
	}
}
