package observe

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
)

// listenToAll makes a listener that notes the names of the events.
func listenToAll(heard *[]string) *event.ServerMonitor {
	m := &event.ServerMonitor{}
	for field, v := range reflect.ValueOf(m).Elem().Fields() {
		v.Set(reflect.MakeFunc(field.Type, func(args []reflect.Value) []reflect.Value {
			*heard = append(*heard, field.Name)
			return nil
		}))
	}
	return m
}

// Each event of a topology reaches the listener once and the log once, if they exist.
//
// SDAM Logging and Monitoring, "Events API" and "Log Messages".
func TestEventsOfTopologiesAreDelivered(t *testing.T) {
	var changed description.Topology
	events := []any{
		&event.TopologyOpening{}, &event.ServerOpening{Address: "h:7"}, &event.ServerDescriptionChanged{Address: "h:7"},
		&event.TopologyDescriptionChanged{PreviousDescription: &changed, NewDescription: &changed},
		&event.ServerClosed{Address: "h:7"}, &event.TopologyClosed{},
	}
	messages := []string{
		"Starting topology monitoring", "Starting server monitoring", "", "Topology description changed", "Stopped server monitoring",
		"Stopped topology monitoring",
	}
	for _, logs := range []bool{false, true} {
		for _, listens := range []bool{false, true} {
			l, text := textLogger(logs)
			var heard []string
			var monitor *event.ServerMonitor
			if listens {
				monitor = listenToAll(&heard)
			}
			top := NewTopology(bson.ObjectID{1}, monitor, l)
			top.PublishAll(nil)
			top.PublishAll(events)
			var want, lines []string
			for i, e := range events {
				if listens {
					want = append(want, reflect.TypeOf(e).Elem().Name())
				}
				if logs && messages[i] != "" {
					lines = append(lines, messages[i])
				}
			}
			if !slices.Equal(heard, want) {
				t.Errorf("logs %v: heard %q, want %q", logs, heard, want)
			}
			sent := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
			if len(lines) == 0 && text.Len() != 0 || len(lines) > 0 && len(sent) != len(lines) {
				t.Fatalf("logged %q", text)
			}
			for i, line := range lines {
				if !strings.Contains(sent[i], fmt.Sprintf("msg=%q", line)) || strings.Contains(line, "server") != strings.Contains(sent[i], "serverHost=h serverPort=7") {
					t.Errorf("line %d is %s, want %s", i, sent[i], line)
				}
			}
		}
	}
}

// Each heartbeat reaches its listener once, and the log once.
func TestHeartbeatsAreDelivered(t *testing.T) {
	beat := &Heartbeat{Address: "h:7", ConnectionID: 3, ServerConnectionID: new(int64(9)), Awaited: true}
	reply := bson.Raw("\x05\x00\x00\x00\x00")
	failure := errors.New("no")
	for _, logs := range []bool{false, true} {
		for _, listens := range []bool{false, true} {
			l, text := textLogger(logs)
			var heard []string
			monitor := &event.ServerMonitor{}
			if listens {
				monitor.ServerHeartbeatStarted = func(e *event.ServerHeartbeatStarted) {
					heard = append(heard, fmt.Sprint("started ", e.ConnectionID, e.Address, e.Awaited))
				}
				monitor.ServerHeartbeatSucceeded = func(e *event.ServerHeartbeatSucceeded) {
					heard = append(heard, fmt.Sprint("succeeded ", e.ConnectionID, e.Address, e.Awaited, e.Duration, len(e.Reply)))
				}
				monitor.ServerHeartbeatFailed = func(e *event.ServerHeartbeatFailed) {
					heard = append(heard, fmt.Sprint("failed ", e.ConnectionID, e.Address, e.Awaited, e.Duration, e.Failure))
				}
			}
			top := NewTopology(bson.ObjectID{1}, monitor, l)
			top.HeartbeatStarted(beat)
			top.HeartbeatSucceeded(beat, time.Second, reply)
			top.HeartbeatFailed(beat, time.Minute, failure)
			var want []string
			if listens {
				want = []string{"started h:7[-3]h:7true", "succeeded h:7[-3]h:7true1s5", "failed h:7[-3]h:7true1m0sno"}
			}
			for i := range want {
				if i >= len(heard) || strings.ReplaceAll(heard[i], " ", "") != strings.ReplaceAll(want[i], " ", "") {
					t.Errorf("heard %q, want %q", heard, want)
				}
			}
			if len(heard) != len(want) {
				t.Errorf("heard %q, want %q", heard, want)
			}
			for _, message := range []string{"Server heartbeat started", "Server heartbeat succeeded", "Server heartbeat failed"} {
				if got := strings.Count(text.String(), message); (got == 1) != logs {
					t.Errorf("%s: logged %d times", message, got)
				}
			}
			if logs && strings.Count(text.String(), "driverConnectionId=3 serverConnectionId=9") != 3 {
				t.Errorf("logged %s", text)
			}
		}
	}
}

// SDAM Logging and Monitoring, "Event Order and Concurrency": a slow listener delays the next event, whichever
// goroutine publishes it.
func TestOneEventOfATopologyAtATime(t *testing.T) {
	beat := &Heartbeat{Address: "h:7"}
	for name, publish := range map[string]func(*Topology){
		"a change":       func(top *Topology) { top.PublishAll([]any{&event.TopologyOpening{}}) },
		"a start":        func(top *Topology) { top.HeartbeatStarted(beat) },
		"an answer":      func(top *Topology) { top.HeartbeatSucceeded(beat, 0, nil) },
		"a failed check": func(top *Topology) { top.HeartbeatFailed(beat, 0, nil) },
	} {
		synctest.Test(t, func(t *testing.T) {
			running := 0
			monitor := &event.ServerMonitor{}
			for field, v := range reflect.ValueOf(monitor).Elem().Fields() {
				v.Set(reflect.MakeFunc(field.Type, func([]reflect.Value) []reflect.Value {
					if running++; running > 1 {
						t.Errorf("%s: %s while another event is being published", name, field.Name)
					}
					time.Sleep(time.Second)
					running--
					return nil
				}))
			}
			top := NewTopology(bson.ObjectID{1}, monitor, nil)
			began := time.Now()
			go publish(top)
			synctest.Wait()
			top.PublishAll([]any{&event.TopologyClosed{}})
			if took := time.Since(began); took != 2*time.Second {
				t.Errorf("%s: both took %v", name, took)
			}
		})
	}
}
