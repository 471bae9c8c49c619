package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// textLogger logs everything into a text, or is nil.
func textLogger(on bool) (*Logger, *strings.Builder) {
	var out strings.Builder
	if !on {
		return nil, &out
	}
	handler := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: logmsg.Trace.Slog()})
	return NewLogger(&options.Client{Logger: slog.New(handler)}, func(string) string { return "" }), &out
}

// Each event of a pool reaches the listener once and the log once, if they exist.
func TestEventsOfPoolsAreDelivered(t *testing.T) {
	for _, logs := range []bool{false, true} {
		for _, listens := range []bool{false, true} {
			l, text := textLogger(logs)
			var heard []string
			var user event.PoolMonitor
			for field, v := range reflect.ValueOf(&user).Elem().Fields() {
				if listens {
					v.Set(reflect.MakeFunc(field.Type, func([]reflect.Value) []reflect.Value {
						heard = append(heard, field.Name)
						return nil
					}))
				}
			}
			published := Pools(&user, l)
			for field, v := range reflect.ValueOf(published).Elem().Fields() {
				if v.IsNil() {
					if logs || listens {
						t.Errorf("logs %v, listens %v: nobody publishes %s", logs, listens, field.Name)
					}
					continue
				}
				e := reflect.New(field.Type.In(0).Elem())
				e.Elem().FieldByName("Address").SetString("h:7")
				text.Reset()
				heard = nil
				v.Call([]reflect.Value{e})
				if got := strings.Count(text.String(), "serverHost=h serverPort=7"); (got == 1) != logs {
					t.Errorf("%s: logged %q", field.Name, text)
				}
				if (len(heard) == 1 && heard[0] == field.Name) != listens {
					t.Errorf("%s: heard %q", field.Name, heard)
				}
			}
		}
	}
	if Pools(nil, nil) != nil {
		t.Error("something is published to nobody")
	}
}

// Each event of commands reaches its listener once, and the log once.
func TestEventsOfCommandsAreDelivered(t *testing.T) {
	for _, logs := range []bool{false, true} {
		for _, listens := range []bool{false, true} {
			l, text := textLogger(logs)
			var heard []string
			c := &Commands{Log: l}
			if listens {
				c.Monitor = &event.CommandMonitor{
					Started: func(_ context.Context, e *event.CommandStarted) { heard = append(heard, "started "+e.ConnectionID) },
					Succeeded: func(_ context.Context, e *event.CommandSucceeded) {
						heard = append(heard, "succeeded "+e.Duration.String())
					},
					Failed: func(_ context.Context, e *event.CommandFailed) { heard = append(heard, "failed "+e.Failure.Error()) },
				}
			}
			x, doc := &Exchange{Address: "h:7"}, bson.Raw("\x05\x00\x00\x00\x00")
			c.Started(t.Context(), x, doc, false)
			c.Succeeded(t.Context(), x, time.Second, doc, false)
			c.Failed(t.Context(), x, time.Second, errors.New("no"), false)
			for _, want := range []string{"Command started", "Command succeeded", "Command failed"} {
				if got := strings.Count(text.String(), want); (got == 1) != logs {
					t.Errorf("%s: logged %d times: %s", want, got, text)
				}
			}
			want := ""
			if listens {
				want = "started h:7[-0], succeeded 1s, failed no"
			}
			if got := strings.Join(heard, ", "); got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		}
	}
}

// Logging, "Representing Errors in Log Messages": the log has the whole text of an error.
func TestErrorsAreLoggedWhole(t *testing.T) {
	failure := fault.CommandError{
		Code: 11000, Name: "DuplicateKey", Message: "E11000 duplicate key", Command: "insert", Address: "h:7", Labels: []string{"RetryableWriteError"},
	}
	l, text := textLogger(true)
	(&Commands{Log: l}).Failed(t.Context(), &Exchange{Address: "h:7"}, time.Second, failure, false)
	NewTopology(bson.ObjectID{1}, nil, l).HeartbeatFailed(&Heartbeat{Address: "h:7"}, time.Second, failure)
	if got := strings.Count(text.String(), fmt.Sprintf("failure=%q", failure.Error())); got != 2 {
		t.Errorf("logged %s, want %q twice", text, failure.Error())
	}
	for _, word := range []string{"DuplicateKey", "E11000 duplicate key", "insert", "h:7"} {
		if !strings.Contains(failure.Error(), word) {
			t.Errorf("%q does not say %q", failure.Error(), word)
		}
	}
}

func TestHostPort(t *testing.T) {
	for address, want := range map[string]struct {
		host string
		port int
	}{
		"h:7": {"h", 7}, "[::1]:27017": {"::1", 27017}, "/tmp/mongodb.sock": {"/tmp/mongodb.sock", 0}, "h:x": {"h:x", 0}, "": {"", 0},
	} {
		if host, port := HostPort(address); host != want.host || port != want.port {
			t.Errorf("%q is %q and %d", address, host, port)
		}
	}
}

// Pools are logged even without a listener, and connection numbers are decimal.
func TestEventsWithoutAListener(t *testing.T) {
	l, text := textLogger(true)
	Pools(nil, l).ConnectionReady(&event.ConnectionReady{Address: "h:7", ConnectionID: 12})
	if !strings.Contains(text.String(), "driverConnectionId=12") {
		t.Errorf("logged %q", text)
	}
	if Pools(nil, nil) != nil {
		t.Error("nobody listens, and there is a monitor")
	}
	if got := (&Exchange{Address: "h:7", CommandKeys: logmsg.CommandKeys{DriverConnectionID: 123}}).connectionID(); got != "h:7[-123]" {
		t.Errorf("the connection is %q", got)
	}
}
