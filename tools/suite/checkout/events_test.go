package checkout

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/mongotest"
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
		"everything":       {Event{ConnectionReady, "a:1", true, 3, true, true, &Options{MaxPoolSize: new(5)}, true, "stale", true, new(true), true}, true},
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
		"reason": {HasReason: true}, "interruption": {HasInterruption: true},
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

func TestServersOfVersions(t *testing.T) {
	for name, tt := range map[string]struct {
		versions []Versions
		want     string
	}{
		"any":              {nil, mongotest.DefaultVersion},
		"newer than":       {[]Versions{{Min: "4.4.0"}}, mongotest.DefaultVersion},
		"up to the future": {[]Versions{{Min: "4.4.0", Max: "99.0"}}, mongotest.DefaultVersion},
		"up to a patch":    {[]Versions{{Max: "4.4.99"}}, "4.4"},
		"up to a release":  {[]Versions{{Max: "5"}}, "5.0"},
		"either":           {[]Versions{{Max: "4.4"}, {Min: "6.0"}}, mongotest.DefaultVersion},
	} {
		if got := (Server{Versions: tt.versions}).version(); got != tt.want {
			t.Errorf("%s: version %s, want %s", name, got, tt.want)
		}
	}
}
