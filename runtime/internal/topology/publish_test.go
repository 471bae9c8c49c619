package topology

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/observe"
)

// capture is a slog.Handler that keeps the text of each record.
type capture struct {
	slog.Handler // nil: groups and attributes of a logger are not used
	l            *log
	text         func(slog.Record) string
}

func (capture) Enabled(context.Context, slog.Level) bool { return true }

func (c capture) Handle(_ context.Context, r slog.Record) error {
	if text := c.text(r); text != "" {
		c.l.add("%s", text)
	}
	return nil
}

// logger makes a logger whose records end up in l.
func logger(l *log, text func(slog.Record) string) *observe.Logger {
	return observe.NewLogger(&options.Client{Logger: slog.New(capture{l: l, text: text})}, func(string) string { return "" })
}

// attribute returns the text of an attribute of a record.
func attribute(r slog.Record, key string) string {
	found := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == key {
			found = a.Value.String()
		}
		return found == ""
	})
	return found
}

// runLogged runs one operation on a standalone server and closes the client.
func runLogged(t *testing.T, component logmsg.Component) []string {
	t.Helper()
	l := &log{}
	synctest.Test(t, func(t *testing.T) {
		d := standalone()
		d.servers["a:1"].latency = time.Millisecond // the selection begins before the server is known
		top := New(Config{
			Hosts: []string{"a:1"}, Options: &options.Client{}, dialMonitor: d.dial, connect: d.connect,
			Log: logger(l, func(r slog.Record) string {
				if attribute(r, "component") != component.String() {
					return ""
				}
				return r.Message
			}),
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
			got := runLogged(t, tt.component)
			if !slices.Equal(got, tt.want) {
				t.Errorf("messages\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Every message of a selection has the name of the command, which may be another one than the operation's, and its ID.
//
// Server Selection, "Common Fields".
func TestMessagesOfASelectionNameTheCommand(t *testing.T) {
	for _, reachable := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			d := standalone()
			d.servers["a:1"].latency, d.servers["a:1"].down = time.Millisecond, !reachable
			l := &log{}
			top := New(Config{
				Hosts: []string{"a:1"}, Options: &options.Client{}, dialMonitor: d.dial, connect: d.connect,
				Log: logger(l, func(r slog.Record) string {
					if attribute(r, "component") != logmsg.ServerSelection.String() {
						return ""
					}
					return r.Message + ": " + attribute(r, "operation") + " " + attribute(r, "operationId")
				}),
				getenv: func(string) string { return "" },
			})
			top.Connect()
			_, err := top.SelectServer(t.Context(), &Request{Operation: "countDocuments", Command: "aggregate", OperationID: 7})
			if (err == nil) != reachable {
				t.Error(err)
			}
			last := "Server selection succeeded: aggregate 7"
			if !reachable {
				last = "Server selection failed: aggregate 7"
			}
			want := []string{
				"Server selection started: aggregate 7", "Waiting for suitable server to become available: aggregate 7", last,
			}
			if got := l.take(); !slices.Equal(got, want) {
				t.Errorf("messages\n got %q\nwant %q", got, want)
			}
			if err := top.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFailedSelectionDoesNotLogTheTopologyTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDeployment(map[string]*fakeServer{"a:1": {down: true}})
		failures := &log{}
		l := logger(failures, func(r slog.Record) string { return attribute(r, "failure") })
		top := New(Config{
			Hosts: []string{"a:1"}, Options: &options.Client{ServerSelectionTimeout: new(options.DefaultServerSelectionTimeout / 10)},
			Log: l, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		if _, err := top.SelectServer(t.Context(), &Request{Operation: "find"}); err == nil {
			t.Error("a server was selected")
		}
		logged := 0
		for _, failure := range failures.take() {
			if strings.Contains(failure, "server selection") || strings.Contains(failure, "no server") {
				logged++
				if strings.Contains(failure, "a:1") {
					t.Errorf("logged failure %q", failure)
				}
			}
		}
		if logged != 1 {
			t.Errorf("%d failures were logged", logged)
		}
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
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
		if got := shouldStream(tt.mode, getenv); got != tt.want {
			t.Errorf("mode %s on a function platform %v: streaming %v, want %v", tt.mode, tt.faas, got, tt.want)
		}
	}
}

// SDAM Logging and Monitoring, "Heartbeats".
func TestEveryHeartbeatEnds(t *testing.T) {
	leave := func(d *fakeDeployment) {
		d.change("a:1", func(s *fakeServer) { s.fields = memberFields([]string{"a:1"}, "a:1", true, 1) })
		synctest.Wait()
	}
	tests := []struct {
		name  string
		event func(t *testing.T, d *fakeDeployment, top *Topology)
		want  []string
	}{
		{"the client is closed", func(t *testing.T, _ *fakeDeployment, top *Topology) {
			if err := top.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}, []string{
			"heartbeat failed true", "heartbeat failed true", "server closed a:1", "server closed b:1", "topology Unknown",
			"topology closed",
		}},
		{"a server leaves", func(_ *testing.T, d *fakeDeployment, _ *Topology) { leave(d) }, []string{
			"heartbeat succeeded true", "server a:1 RSPrimary", "server closed b:1", "topology ReplicaSetWithPrimary",
			"heartbeat failed true", "heartbeat started true",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := replicaSet("a:1", "b:1")
			runInBubble(t, d, &options.Client{}, []string{"a:1", "b:1"}, func(t *testing.T, top *Topology, l *log) {
				selectWritable(t, top)
				synctest.Wait()
				l.take()
				tt.event(t, d, top)
				got := keepLines(l.take(), "heartbeat", "server", "topology")
				slices.Sort(got) // the monitors stop in any order
				slices.Sort(tt.want)
				if !slices.Equal(got, tt.want) {
					t.Errorf("events\n got %q\nwant %q", got, tt.want)
				}
			})
		})
	}
}

// SDAM, "Other TopologyTypes": a client should warn when the last server leaves.
func TestLastServerLeaves(t *testing.T) {
	tests := []struct {
		name       string
		replicaSet string
		warnings   int
	}{
		{"a member of another set", "other", 1},
		{"a member of the set", "rs", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := replicaSet("a:1")
				d.servers["a:1"].changed = make(chan struct{}) // belongs to the bubble
				warnings := &log{}
				top := New(Config{
					Hosts: []string{"a:1"}, Options: &options.Client{ReplicaSet: &tt.replicaSet},
					Log: logger(warnings, func(r slog.Record) string {
						if r.Level < slog.LevelWarn {
							return ""
						}
						return r.Message
					}),
					dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
				})
				top.Connect()
				synctest.Wait()
				if err := top.Close(t.Context()); err != nil {
					t.Error(err)
				}
				if got := warnings.take(); len(got) != tt.warnings {
					t.Errorf("warnings %q, want %d", got, tt.warnings)
				}
			})
		})
	}
}
