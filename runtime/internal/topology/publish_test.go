package topology

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// fakeLogger keeps the messages of some components.
type fakeLogger struct {
	log
	components []logmsg.Component
}

func (l *fakeLogger) Enabled(c logmsg.Component, _ logmsg.Level) bool {
	return slices.Contains(l.components, c)
}

func (l *fakeLogger) Log(_ context.Context, m logmsg.Message) { l.add("%s", m.Message()) }

// logged runs one operation on a standalone server and closes the client.
func logged(t *testing.T, l *fakeLogger) []string {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := standalone()
		d.servers["a:1"].latency = time.Millisecond // the selection begins before the server is known
		top := New(Config{
			Hosts: []string{"a:1"}, Options: &options.Client{}, Log: l, dialMonitor: d.dial, connect: d.connect,
			getenv: func(string) string { return "" },
		})
		top.Connect()
		s := selectWritable(t, top)
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.CheckIn(c)
		synctest.Wait()
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return l.take()
}

func TestLogMessages(t *testing.T) {
	tests := []struct {
		component logmsg.Component
		want      []string
	}{
		{logmsg.Topology, []string{
			"Starting topology monitoring", "Topology description changed", "Starting server monitoring",
			"Server heartbeat started", "Server heartbeat succeeded", "Topology description changed",
			"Stopped server monitoring", "Topology description changed", "Stopped topology monitoring",
		}},
		{logmsg.ServerSelection, []string{
			"Server selection started", "Waiting for suitable server to become available", "Server selection succeeded",
		}},
		{logmsg.Connection, []string{
			"Connection pool created", "Connection pool ready", "Connection checkout started", "Connection created",
			"Connection ready", "Connection checked out", "Connection checked in", "Connection closed", "Connection pool closed",
		}},
		{logmsg.Command, nil},
	}
	for _, tt := range tests {
		t.Run(tt.component.String(), func(t *testing.T) {
			got := logged(t, &fakeLogger{components: []logmsg.Component{tt.component}})
			if !slices.Equal(got, tt.want) {
				t.Errorf("messages\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestFailedSelectionDoesNotLogTheTopologyTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDeployment(map[string]*fakeServer{"a:1": {down: true}})
		var failure error
		l := &failureLogger{failed: func(m *logmsg.ServerSelectionFailed) { failure = m.Failure }}
		top := New(Config{
			Hosts: []string{"a:1"}, Options: &options.Client{ServerSelectionTimeout: new(options.DefaultServerSelectionTimeout / 10)},
			Log: l, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		if _, err := top.SelectServer(t.Context(), &Request{Operation: "find"}); err == nil {
			t.Error("a server was selected")
		}
		if failure == nil || strings.Contains(failure.Error(), "a:1") {
			t.Errorf("logged failure %q", failure)
		}
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// failureLogger looks at failed selections.
type failureLogger struct {
	failed func(*logmsg.ServerSelectionFailed)
}

func (*failureLogger) Enabled(c logmsg.Component, _ logmsg.Level) bool {
	return c == logmsg.ServerSelection
}

func (l *failureLogger) Log(_ context.Context, m logmsg.Message) {
	if m, ok := m.(*logmsg.ServerSelectionFailed); ok {
		l.failed(m)
	}
}

// TestHeartbeatStartsBeforeTheSocketIsOpened is a prose test of SDAM.
func TestHeartbeatStartsBeforeTheSocketIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := standalone()
		l := &log{}
		top := New(Config{
			Hosts: []string{"a:1"},
			Options: &options.Client{ServerMonitor: &event.ServerMonitor{
				ServerHeartbeatStarted:   func(*event.ServerHeartbeatStarted) { l.add("started") },
				ServerHeartbeatSucceeded: func(*event.ServerHeartbeatSucceeded) { l.add("succeeded") },
			}},
			dialMonitor: func(ctx context.Context, address string) (monitorConn, error) {
				l.add("dialed")
				return d.dial(ctx, address)
			},
			connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		synctest.Wait()
		if got := l.take(); !slices.Equal(got, []string{"started", "dialed", "succeeded"}) {
			t.Errorf("order %q", got)
		}
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestFunctionPlatformsPoll(t *testing.T) {
	tests := []struct {
		mode options.ServerMonitoringMode
		faas bool
		want bool
	}{
		{options.MonitorAuto, false, true},
		{options.MonitorAuto, true, false},
		{options.MonitorStream, true, true},
		{options.MonitorPoll, false, false},
	}
	for _, tt := range tests {
		getenv := func(name string) string {
			if tt.faas && name == "AWS_EXECUTION_ENV" {
				return "AWS_Lambda_go"
			}
			return ""
		}
		if got := streaming(tt.mode, getenv); got != tt.want {
			t.Errorf("mode %s on a function platform %v: streaming %v, want %v", tt.mode, tt.faas, got, tt.want)
		}
	}
}
