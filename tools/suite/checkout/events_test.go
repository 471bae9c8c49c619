package checkout

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/event"
)

func TestEventMatchesASubset(t *testing.T) {
	got := published{
		kind: ConnectionReady, address: "a:1", connectionID: 3, duration: new(time.Second), reason: "stale",
		interrupt: new(true), options: &event.PoolOptions{MaxPoolSize: new(5)},
	}
	tests := map[string]struct {
		want    Event
		matches bool
	}{
		"the kind alone":   {Event{Kind: ConnectionReady}, true},
		"another kind":     {Event{Kind: ConnectionClosed}, false},
		"everything":       {Event{ConnectionReady, "a:1", true, 3, true, true, &Options{MaxPoolSize: new(5)}, true, "stale", new(true)}, true},
		"another address":  {Event{Kind: ConnectionReady, Address: "b:1"}, false},
		"another number":   {Event{Kind: ConnectionReady, ConnectionID: 4}, false},
		"another reason":   {Event{Kind: ConnectionReady, Reason: "idle"}, false},
		"another option":   {Event{Kind: ConnectionReady, Options: &Options{MaxPoolSize: new(6)}}, false},
		"a missing option": {Event{Kind: ConnectionReady, Options: &Options{MinPoolSize: new(1)}}, false},
		"no interruption":  {Event{Kind: ConnectionReady, InterruptInUseConnections: new(false)}, false},
	}
	for name, tt := range tests {
		if problem := tt.want.match(got); (problem == "") != tt.matches {
			t.Errorf("%s: %q", name, problem)
		}
	}
	for name, want := range map[string]Event{
		"address": {HasAddress: true}, "number": {HasConnectionID: true}, "duration": {HasDuration: true}, "options": {HasOptions: true},
	} {
		if want.match(published{}) == "" {
			t.Errorf("an event without %s matches", name)
		}
	}
}

func TestWaitGivesUp(t *testing.T) {
	var r recorder
	r.add(published{kind: PoolReady})
	if err := r.wait(PoolReady, 1, time.Hour); err != nil {
		t.Error(err)
	}
	if err := r.wait(PoolReady, 2, time.Nanosecond); err == nil {
		t.Error("an event that did not come is not missed")
	}
}
