package topology

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// Besides a read preference, a request can require the primary and name the servers of failed tries, which are chosen
// last.
func TestWhatARequestSays(t *testing.T) {
	d := replicaSet("a:1", "b:1", "c:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		synctest.Wait()
		find := func(r *Request) *Server {
			t.Helper()
			s, err := top.SelectServer(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if r.Chosen == nil || r.Chosen.Address != s.Address() {
				t.Errorf("chose %s, described as %v", s.Address(), r.Chosen)
			}
			return s
		}
		secondary := &options.ReadPreference{Mode: options.Secondary}
		for _, only := range []bool{true, false} {
			r := &Request{ReadPreference: secondary, PrimaryOnly: func(now *description.Topology) bool { return only && len(now.Servers) == 3 }}
			if s := find(r); (s.Address() == "a:1") != only || (r.ReadPreference == nil) != only {
				t.Errorf("a primary alone %t: %s with %v", only, s.Address(), r.ReadPreference)
			}
		}
		used := find(&Request{ReadPreference: secondary})
		other := map[string]string{"b:1": "c:1", "c:1": "b:1"}[used.Address()]
		for range 20 {
			if s := find(&Request{ReadPreference: secondary, Avoid: used}); s.Address() != other {
				t.Fatalf("the failed server %s was chosen again", s.Address())
			}
			if s := find(&Request{ReadPreference: secondary, Avoid: used, Deprioritized: []string{"a:1"}}); s.Address() != other {
				t.Fatalf("%s was chosen", s.Address())
			}
			if s := find(&Request{ReadPreference: &options.ReadPreference{Mode: options.Nearest}, Avoid: used, Deprioritized: []string{other}}); s.Address() != "a:1" {
				t.Fatalf("a server that failed before was chosen: %s", s.Address())
			}
		}
		find(&Request{ReadPreference: secondary, Avoid: used, Deprioritized: []string{other}}) // no other server is left
		if !top.HasReachableServer() {
			t.Error("no server can be reached")
		}
	})
}

// A selection error says why no server was found, and gives hints only after a wait.
func TestWhyNobodyWasFound(t *testing.T) {
	d := replicaSet("a:1")
	d.servers["a:1"].down = true
	o := &options.Client{ServerSelectionTimeout: new(3 * time.Second)}
	runInBubble(t, d, o, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		for _, tt := range []struct {
			name   string
			ctx    func() (context.Context, context.CancelFunc)
			waited time.Duration
			is     error
			hints  bool
		}{
			{"the timeout", func() (context.Context, context.CancelFunc) { return t.Context(), func() {} }, 3 * time.Second, nil, true},
			{"a deadline", func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), time.Second) },
				time.Second, context.DeadlineExceeded, true},
			{"a cancellation", func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				return ctx, cancel
			}, 2 * time.Second, context.Canceled, false},
		} {
			ctx, cancel := tt.ctx()
			_, err := top.SelectServer(ctx, &Request{Operation: "insert", Write: true})
			cancel()
			failed, ok := errors.AsType[fault.ServerSelectionError](err)
			if !ok || failed.Waited != tt.waited || failed.Operation != "insert" || tt.is != nil && !errors.Is(err, tt.is) || (len(failed.Hints) > 0) != tt.hints {
				t.Errorf("%s: waited %v, hints %q, %v", tt.name, failed.Waited, failed.Hints, err)
			}
		}
		if top.HasReachableServer() {
			t.Error("a server that is down can be reached")
		}
	})
}

// timeoutMS takes the place of waitQueueTimeoutMS, and a heartbeat never comes more often than the least pause allows.
func TestSettingsOfATopology(t *testing.T) {
	o := &options.Client{WaitQueueTimeout: new(time.Second), MaxPoolSize: new(7)}
	if got := poolOptions(o); got.WaitQueueTimeout == nil || *got.WaitQueueTimeout != time.Second || *got.MaxPoolSize != 7 {
		t.Errorf("%+v", got)
	}
	o.Timeout = new(time.Duration(0))
	if got := poolOptions(o); got.WaitQueueTimeout != nil {
		t.Errorf("%+v", got)
	}
	for given, want := range map[time.Duration]time.Duration{time.Millisecond: 500 * time.Millisecond, time.Second: time.Second} {
		cfg := &Config{Options: &options.Client{HeartbeatFrequency: &given}, getenv: func(string) string { return "" }}
		if got := settingsOf(cfg).heartbeatFrequency; got != want {
			t.Errorf("%v is %v, want %v", given, got, want)
		}
	}
	cfg := &Config{Options: &options.Client{}, getenv: func(string) string { return "" }}
	if got := settingsOf(cfg); got.heartbeatFrequency != 10*time.Second || got.serverSelectionTimeout != 30*time.Second ||
		got.localThreshold != 15*time.Millisecond || got.loadBalanced {
		t.Errorf("%+v", got)
	}
}
