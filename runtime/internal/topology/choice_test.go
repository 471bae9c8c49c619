package topology

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// srvMaxHosts keeps the known hosts and draws each of the others at most once.
func TestHostsOfSRVAreDrawnOnce(t *testing.T) {
	hosts := []string{"a:1", "b:1", "c:1", "d:1", "e:1"}
	for name, random := range map[string]func(int) int{
		"the first": func(int) int { return 0 }, "the last": func(n int) int { return n - 1 }, "one in the middle": func(n int) int { return n / 2 },
	} {
		for limit := range len(hosts) + 2 {
			top := New(Config{Options: &options.Client{SRVMaxHosts: &limit}, random: random})
			now := description.Topology{Servers: []description.Server{{Address: "c:1"}, {Address: "gone:1"}}}
			got := top.pickHosts(now, hosts)
			slices.Sort(got)
			want := limit
			if limit == 0 || limit > len(hosts) {
				want = len(hosts)
			}
			if len(slices.Compact(slices.Clone(got))) != want || len(got) != want || !slices.Contains(got, "c:1") ||
				slices.ContainsFunc(got, func(h string) bool { return !slices.Contains(hosts, h) }) {
				t.Errorf("%s, srvMaxHosts %d: %q", name, limit, got)
			}
		}
	}
}

// A server counts one operation for each checked-out connection, and none for a failed check-out.
func TestOperationsOfAServer(t *testing.T) {
	runInBubble(t, replicaSet("a:1"), &options.Client{MaxPoolSize: new(1)}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		s := selectWritable(t, top)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for name, checkOut := range map[string]func(context.Context) (*Pooled, error){"CheckOut": s.CheckOut, "CheckOutPatiently": s.CheckOutPatiently} {
			one, err := checkOut(t.Context())
			if err != nil || s.Operations() != 1 {
				t.Fatalf("%s: %v, %d operations", name, err, s.Operations())
			}
			if _, err := checkOut(over); err == nil || s.Operations() != 1 {
				t.Errorf("%s that fails: %v, %d operations", name, err, s.Operations())
			}
			if s.CheckIn(one); s.Operations() != 0 {
				t.Errorf("%s: %d operations are left", name, s.Operations())
			}
		}
	})
}

// An invalid request fails without a wait, whether or not selection is logged.
func TestAMistakeWaitsForNothing(t *testing.T) {
	mistake := &options.ReadPreference{Mode: options.Primary, TagSets: []options.TagSet{{{Name: "a", Value: "b"}}}}
	for _, logs := range []bool{false, true} {
		runInBubble(t, replicaSet("a:1"), &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
			if logs {
				top.cfg.Log = logger(&log{}, func(r slog.Record) string { return r.Message })
			}
			selectWritable(t, top)
			began := time.Now()
			_, err := top.SelectServer(t.Context(), &Request{ReadPreference: mistake})
			e, ok := errors.AsType[fault.ServerSelectionError](err)
			if !ok || e.Waited != 0 || e.Err == nil || !time.Now().Equal(began) {
				t.Errorf("logs %t: waited %v, %v", logs, e.Waited, err)
			}
		})
	}
}
