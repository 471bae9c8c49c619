//lint:file-ignore SA1019 hedge is deprecated, but still parsed, validated and sent

package selection_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/selection"
)

func noLoad(string) int64 { return 0 }

func server(address string, typ description.ServerType, rtt time.Duration) description.Server {
	return description.Server{Address: address, Type: typ, RTT: rtt}
}

// replicaSet has a primary p that is far away and secondaries r, s and t with tags.
func replicaSet() *description.Topology {
	r := server("r:1", description.RSSecondary, 20*time.Millisecond)
	r.Tags = map[string]string{"dc": "ny", "rack": "1"}
	s := server("s:1", description.RSSecondary, 5*time.Millisecond)
	s.Tags = map[string]string{"dc": "ny"}
	t := server("t:1", description.RSSecondary, 40*time.Millisecond)
	return &description.Topology{
		Type: description.ReplicaSetWithPrimary, Compatible: true,
		Servers: []description.Server{server("p:1", description.RSPrimary, 100*time.Millisecond), r, s, t},
	}
}

func listSuitable(s *selection.Selector, t *description.Topology) string {
	var names []string
	for _, s := range s.AppendSuitable(t, nil) {
		names = append(names, s.Address[:1])
	}
	return strings.Join(names, "")
}

func newReadPreference(mode options.ReadPreferenceMode, sets ...options.TagSet) *options.ReadPreference {
	return &options.ReadPreference{Mode: mode, TagSets: sets}
}

func TestSuitableServers(t *testing.T) {
	ny, rack := options.TagSet{{Name: "dc", Value: "ny"}}, options.TagSet{{Name: "rack", Value: "1"}}
	sf := options.TagSet{{Name: "dc", Value: "sf"}}
	noPrimary := replicaSet()
	noPrimary.Type, noPrimary.Servers = description.ReplicaSetNoPrimary, noPrimary.Servers[1:]
	sharded := &description.Topology{Type: description.Sharded, Servers: []description.Server{
		server("m:1", description.Mongos, 1), server("n:1", description.Mongos, 2), server("o:1", description.ServerUnknown, 0),
	}}
	single := &description.Topology{Type: description.Single, Servers: []description.Server{server("g:1", description.RSGhost, 1)}}
	refuseS := func(_ *description.Topology, suitable []*description.Server) []*description.Server {
		return slices.DeleteFunc(suitable, func(s *description.Server) bool { return s.Address == "s:1" })
	}
	tests := []struct {
		name     string
		topology *description.Topology
		selector selection.Selector
		want     string
	}{
		{"default is primary", replicaSet(), selection.Selector{}, "p"},
		{"write", replicaSet(), selection.Selector{Write: true, ReadPreference: newReadPreference(options.Secondary)}, "p"},
		{"secondary", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary)}, "rst"},
		{"nearest", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Nearest)}, "prst"},
		{"primary preferred", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.PrimaryPreferred)}, "p"},
		{"primary preferred, none", noPrimary, selection.Selector{ReadPreference: newReadPreference(options.PrimaryPreferred)}, "rst"},
		{"write, none", noPrimary, selection.Selector{Write: true}, ""},
		{"tags", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary, ny)}, "rs"},
		{"first matching set", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Nearest, sf, rack, ny)}, "r"},
		{"no matching set", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary, sf)}, ""},
		{"no matching set but a primary", replicaSet(),
			selection.Selector{ReadPreference: newReadPreference(options.SecondaryPreferred, sf)}, "p"},
		{"empty set", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary, sf, nil)}, "rst"},
		{"deprioritized", replicaSet(), selection.Selector{
			ReadPreference: newReadPreference(options.Secondary), Deprioritized: []string{"r:1", "x:1"}}, "st"},
		{"all deprioritized", replicaSet(), selection.Selector{Write: true, Deprioritized: []string{"p:1"}}, "p"},
		{"deprioritized primary", replicaSet(), selection.Selector{
			ReadPreference: newReadPreference(options.PrimaryPreferred), Deprioritized: []string{"p:1"}}, "rst"},
		{"deprioritized secondaries", replicaSet(), selection.Selector{
			ReadPreference: newReadPreference(options.SecondaryPreferred), Deprioritized: []string{"r:1", "s:1", "t:1"}}, "p"},
		{"custom", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary), Custom: refuseS}, "rt"},
		{"sharded read", sharded, selection.Selector{ReadPreference: newReadPreference(options.Secondary, ny)}, "mn"},
		{"sharded write", sharded, selection.Selector{Write: true, Deprioritized: []string{"m:1"}}, "n"},
		{"single", single, selection.Selector{Write: true}, "g"},
		{"unknown", &description.Topology{}, selection.Selector{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := listSuitable(&tt.selector, tt.topology); got != tt.want {
				t.Errorf("Suitable() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStaleness(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	withPrimary := replicaSet()
	for i, lag := range []int64{10, 20, 91, 200} { // seconds behind the clock; the primary itself is 10 behind
		withPrimary.Servers[i].LastUpdateTime = at(1000)
		withPrimary.Servers[i].LastWriteDate = at(1000 - lag)
	}
	noPrimary := replicaSet()
	noPrimary.Type = description.ReplicaSetNoPrimary
	noPrimary.Servers = slices.Clone(withPrimary.Servers[1:])
	for name, tt := range map[string]struct {
		topology *description.Topology
		limit    time.Duration
		want     string
	}{
		"with primary":    {withPrimary, 90 * time.Second, "r"},   // 20-10+10, 91-10+10, 200-10+10
		"at the limit":    {withPrimary, 91 * time.Second, "rs"},  //
		"without primary": {noPrimary, 90 * time.Second, "rs"},    // 0+10, 71+10, 180+10
		"no limit":        {withPrimary, -1 * time.Second, "rst"}, //
	} {
		t.Run(name, func(t *testing.T) {
			rp := &options.ReadPreference{Mode: options.Secondary, MaxStaleness: &tt.limit}
			s := &selection.Selector{ReadPreference: rp, HeartbeatFrequency: 10 * time.Second}
			if err := s.Validate(tt.topology); err != nil {
				t.Fatal(err)
			}
			if got := listSuitable(s, tt.topology); got != tt.want {
				t.Errorf("Suitable() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		rp   *options.ReadPreference
		want string
	}{
		{"unset", nil, ""},
		{"empty tag set", newReadPreference(options.Primary, nil), ""},
		{"tags with primary", newReadPreference(0, options.TagSet{{Name: "a", Value: "b"}}), "cannot have tag sets"},
		{"staleness with primary", &options.ReadPreference{MaxStaleness: new(90 * time.Second)}, "cannot have maxStaleness"},
		{"hedge with primary", &options.ReadPreference{Hedge: &options.Hedge{}}, "cannot have hedge"},
		{"hedge with nearest", &options.ReadPreference{Mode: options.Nearest, Hedge: &options.Hedge{}}, ""},
		{"unknown mode", newReadPreference(99), "not a read preference mode"},
		{"too small", &options.ReadPreference{Mode: options.Nearest, MaxStaleness: new(89 * time.Second)}, "at least 1m30s"},
		{"zero", &options.ReadPreference{Mode: options.Nearest, MaxStaleness: new(time.Duration(0))}, "at least 1m30s"},
		{"below the heartbeat", &options.ReadPreference{Mode: options.Nearest, MaxStaleness: new(100 * time.Second)},
			"at least heartbeatFrequencyMS + 10s = 1m50s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := (&selection.Selector{ReadPreference: tt.rp, HeartbeatFrequency: 100 * time.Second}).Validate(replicaSet())
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
		})
	}
	incompatible := replicaSet()
	incompatible.Compatible, incompatible.CompatibilityError = false, "too old"
	if _, err := new(selection.Selector).Select(incompatible, noLoad, rand.IntN); err == nil {
		t.Error("an incompatible topology was accepted")
	}
}

func TestSelectStaysInTheWindowAndPrefersIdleServers(t *testing.T) {
	s := &selection.Selector{ReadPreference: newReadPreference(options.Nearest), LocalThreshold: 15 * time.Millisecond}
	busy := func(address string) int64 { return map[string]int64{"r:1": 1}[address] }
	for range 50 {
		got, err := s.Select(replicaSet(), busy, rand.IntN)
		if err != nil || got.Address != "s:1" {
			t.Fatalf("Select() = %v, %v, want s:1", got, err)
		}
	}
	s.LocalThreshold = time.Second
	seen := map[string]int{}
	for range 2000 {
		got, _ := s.Select(replicaSet(), noLoad, rand.IntN)
		seen[got.Address]++
	}
	for _, address := range []string{"p:1", "r:1", "s:1", "t:1"} {
		if seen[address] < 350 {
			t.Errorf("%s was chosen %d times of 2000", address, seen[address])
		}
	}
}

func TestWindowWithUnknownRoundTrips(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name string
		rtts []time.Duration // 0 = unknown
		kept []time.Duration

		shortest time.Duration
	}{
		{"none is known", []time.Duration{0, 0}, []time.Duration{0, 0}, 0},
		{"one does not narrow the window", []time.Duration{0, 20 * ms, 30 * ms}, []time.Duration{0, 20 * ms, 30 * ms}, 20 * ms},
		{"the shortest that is known", []time.Duration{1, 20 * ms}, []time.Duration{1}, 1},
		{"nor does it fall out", []time.Duration{20 * ms, 40 * ms, 0}, []time.Duration{20 * ms, 0}, 20 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := &description.Topology{Type: description.ReplicaSetNoPrimary, Compatible: true}
			var servers []*description.Server
			for i, rtt := range tt.rtts {
				s := server(string(rune('a'+i))+":1", description.RSSecondary, rtt)
				top.Servers = append(top.Servers, s)
				servers = append(servers, &s)
			}
			var got []time.Duration
			for _, s := range selection.Window(servers, 15*ms) {
				got = append(got, s.RTT)
			}
			if !slices.Equal(got, tt.kept) {
				t.Errorf("kept %v, want %v", got, tt.kept)
			}
			decision := (&selection.Selector{ReadPreference: newReadPreference(options.Nearest), LocalThreshold: 15 * ms}).Decide(top)
			if decision.Shortest != tt.shortest {
				t.Errorf("the window begins at %v, want %v", decision.Shortest, tt.shortest)
			}
		})
	}
}

func TestRTT(t *testing.T) {
	var r selection.RTT
	want := func(average, least time.Duration) {
		t.Helper()
		if r.Average() != average || r.Min() != least {
			t.Errorf("average %v, min %v, want %v, %v", r.Average(), r.Min(), average, least)
		}
	}
	want(0, 0)
	r.Add(10 * time.Millisecond)
	want(10*time.Millisecond, 0)
	r.Add(-1)
	want(10*time.Millisecond, 0)
	r.Add(20 * time.Millisecond)
	want(12*time.Millisecond, 10*time.Millisecond)
	for range 9 {
		r.Add(30 * time.Millisecond)
	}
	if r.Min() != 20*time.Millisecond {
		t.Errorf("Min() = %v, want 20ms of the last ten", r.Min())
	}
	r.Reset()
	want(0, 0)
	r.Add(0)
	want(1, 0) // it is known
	r.Reset()
	r.Add(0)
	r.Add(5 * time.Millisecond)
	want(time.Millisecond, 0)
}

func TestErrorSaysWhatToDo(t *testing.T) {
	down := &description.Topology{Type: description.ReplicaSetNoPrimary, Servers: []description.Server{
		{Address: "a:1", Err: fault.NetworkError{Address: "a:1", Err: syscall.ECONNREFUSED}},
		{Address: "b:1", Err: fault.NetworkError{Address: "b:1", Err: syscall.ECONNREFUSED}},
	}}
	noPrimary := &description.Topology{Type: description.ReplicaSetNoPrimary, Servers: []description.Server{
		{Address: "a:1", Type: description.RSSecondary},
	}}
	tests := []struct {
		name     string
		topology *description.Topology
		selector selection.Selector
		want     string
	}{
		{"refused", down, selection.Selector{}, "check that the server runs"},
		{"names that only the set knows", down, selection.Selector{}, "rs.conf()"},
		{"no primary", noPrimary, selection.Selector{Write: true}, "has no primary"},
		{"tags", noPrimary, selection.Selector{ReadPreference: newReadPreference(options.Secondary, options.TagSet{{Name: "a"}})}, "compare the tag sets"},
		{"ghost", &description.Topology{Servers: []description.Server{{Type: description.RSGhost}, {}}}, selection.Selector{Write: true}, "rs.initiate"},
		{"nothing left", &description.Topology{}, selection.Selector{}, "every server has left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hints := tt.selector.Hints(tt.topology)
			if !slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(hint, tt.want) }) {
				t.Errorf("Hints() = %q, want one with %q", hints, tt.want)
			}
			err := fault.ServerSelectionError{Selector: tt.selector.String(), Topology: *tt.topology, Hints: hints,
				Err: errors.New("x")}
			for i := range tt.topology.Servers {
				if !strings.Contains(err.Error(), tt.topology.Servers[i].Address) {
					t.Errorf("Error() = %q does not list every server", err)
				}
			}
		})
	}
}

func TestSelectorString(t *testing.T) {
	s := &selection.Selector{ReadPreference: &options.ReadPreference{
		Mode: options.Nearest, TagSets: []options.TagSet{{{Name: "dc", Value: "ny"}, {Name: "a", Value: "b"}}, {}},
		MaxStaleness: new(90 * time.Second), Hedge: &options.Hedge{Enabled: new(true)},
	}}
	want := "read preference nearest, tag sets [{dc: ny, a: b}, {}], max staleness 1m30s, hedge true"
	if got := s.String(); got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	s.Custom = func(_ *description.Topology, servers []*description.Server) []*description.Server { return servers }
	if got := s.String(); got != want+", custom server selector" {
		t.Errorf("with a selector of the program: %q", got)
	}
}

// newMembers returns a replica set with n members, all in the latency window.
func newMembers(n int) *description.Topology {
	t := &description.Topology{Type: description.ReplicaSetWithPrimary, Compatible: true}
	for i := range n {
		typ := description.RSSecondary
		if i == n/2 {
			typ = description.RSPrimary
		}
		t.Servers = append(t.Servers, server(fmt.Sprintf("host%02d:27017", i), typ, time.Duration(i%10)*time.Millisecond))
	}
	return t
}

func TestSelectDoesNotAllocate(t *testing.T) {
	topology := newMembers(50)
	for _, s := range []*selection.Selector{
		{Write: true},
		{ReadPreference: newReadPreference(options.Nearest), LocalThreshold: 15 * time.Millisecond},
		{ReadPreference: newReadPreference(options.Secondary), LocalThreshold: 2 * time.Millisecond},
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = s.Select(topology, noLoad, rand.IntN) }); n != 0 {
			t.Errorf("Select for %v allocates %v times, want 0", s, n)
		}
	}
}

func BenchmarkSelect50(b *testing.B) {
	topology := newMembers(50)
	for name, s := range map[string]*selection.Selector{
		"write":     {Write: true},
		"nearest":   {ReadPreference: newReadPreference(options.Nearest), LocalThreshold: 15 * time.Millisecond},
		"secondary": {ReadPreference: newReadPreference(options.Secondary), LocalThreshold: 15 * time.Millisecond},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got, err := s.Select(topology, noLoad, rand.IntN); got == nil || err != nil {
					b.Fatal(got, err)
				}
			}
		})
	}
}
