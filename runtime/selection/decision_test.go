package selection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/selection"
)

func TestDecisionsGiveReasons(t *testing.T) {
	ny := options.TagSet{{Name: "dc", Value: "ny"}}
	stale := replicaSet()
	for i, lag := range []int64{0, 10, 200, 10} {
		stale.Servers[i].LastUpdateTime, stale.Servers[i].LastWriteDate = time.Unix(1000, 0), time.Unix(1000-lag, 0)
	}
	down := replicaSet()
	down.Servers[3] = server("t:1", description.ServerUnknown, 0)
	refuseS := func(_ *description.Topology, suitable []*description.Server) []*description.Server {
		return slices.DeleteFunc(suitable, func(s *description.Server) bool { return s.Address == "s:1" })
	}
	tests := []struct {
		name     string
		topology *description.Topology
		selector selection.Selector
		want     []string // one for each server
	}{
		{"a write", replicaSet(), selection.Selector{Write: true},
			[]string{"window", "type: not the primary", "type: not the primary", "type: not the primary"}},
		{"the window", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary), LocalThreshold: 15 * time.Millisecond},
			[]string{"type: RSPrimary does not serve mode secondary", "window", "window",
				"latency: 40ms away: more than 15ms over the nearest, 5ms"}},
		{"tags", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.SecondaryPreferred, ny), LocalThreshold: time.Second},
			[]string{"type: only used when there is no suitable secondary", "window", "window",
				"tag sets: its tags do not match the first tag set that any server matches"}},
		{"staleness", stale, selection.Selector{LocalThreshold: time.Second, HeartbeatFrequency: 10 * time.Second,
			ReadPreference: &options.ReadPreference{Mode: options.Nearest, MaxStaleness: new(90 * time.Second)}},
			[]string{"window", "window", "staleness: up to 3m30s behind, more than 1m30s", "window"}},
		{"deprioritized", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.PrimaryPreferred),
			Deprioritized: []string{"p:1"}, LocalThreshold: time.Second},
			[]string{"deprioritized: a try on it has failed, and there are others", "window", "window", "window"}},
		{"custom", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Secondary), Custom: refuseS, LocalThreshold: time.Second},
			[]string{"type: RSPrimary does not serve mode secondary", "window", "custom: the custom server selector refused it", "window"}},
		{"a primary that is there", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.PrimaryPreferred), LocalThreshold: time.Second},
			append([]string{"window"}, slices.Repeat([]string{"type: only used when there is no suitable primary"}, 3)...)},
		{"down", down, selection.Selector{ReadPreference: newReadPreference(options.Nearest), LocalThreshold: time.Second},
			[]string{"window", "window", "window", "type: not known to answer"}},
		{"no topology", &description.Topology{Servers: []description.Server{{Address: "p:1"}}}, selection.Selector{},
			[]string{"type: there is none for this operation in a topology of type Unknown"}},
		{"a mistake", replicaSet(), selection.Selector{ReadPreference: newReadPreference(options.Primary, ny)},
			slices.Repeat([]string{"type: selection: read preference primary cannot have tag sets"}, 4)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := tt.selector.Decide(tt.topology)
			var got []string
			for _, v := range d.Verdicts {
				text := v.Out.String()
				if v.Reason != "" {
					text += ": " + v.Reason
				}
				got = append(got, text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestStagesHaveNames(t *testing.T) {
	for stage, want := range map[selection.Stage]string{
		selection.ByType: "type", selection.InWindow: "window", selection.InWindow + 1: "Stage(7)", 255: "Stage(255)",
	} {
		if got := stage.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Decide must agree with AppendSuitable and Window about each server. A reason that excludes a type must never apply to
// a server of a type that was taken.
func TestDecisionsAgreeWithSelection(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		topology, s := randomTopology(r), randomSelector(r)
		found := s.AppendSuitable(topology, nil)
		window := selection.Window(slices.Clone(found), s.LocalThreshold)
		for _, v := range s.Decide(topology).Verdicts {
			inWindow, suitable := slices.Contains(window, v.Server), slices.Contains(found, v.Server)
			if inWindow != (v.Out == selection.InWindow) || suitable != (v.Out >= selection.ByLatency) || inWindow != (v.Reason == "") {
				t.Fatalf("%v on %+v: %s is %v (%s)", s, topology, v.Server.Address, v.Out, v.Reason)
			}
			if v.Out == selection.ByCustom {
				t.Fatalf("%v on %+v: %s has no true reason", s, topology, v.Server.Address)
			}
		}
	}
}

func randomTopology(r *rand.Rand) *description.Topology {
	types := []description.TopologyType{description.ReplicaSetWithPrimary, description.ReplicaSetNoPrimary, description.Sharded,
		description.Single, description.TopologyUnknown}
	members := []description.ServerType{description.RSSecondary, description.RSSecondary, description.RSArbiter, description.ServerUnknown,
		description.RSOther}
	t := &description.Topology{Type: types[r.IntN(len(types))], Compatible: true}
	for i := range r.IntN(6) {
		s := server(fmt.Sprintf("%c:1", 'a'+i), members[r.IntN(len(members))], time.Duration(r.IntN(40))*time.Millisecond)
		if i == 0 && t.Type == description.ReplicaSetWithPrimary {
			s.Type = description.RSPrimary
		}
		if t.Type == description.Sharded && r.IntN(3) > 0 {
			s.Type = description.Mongos
		}
		s.LastUpdateTime, s.LastWriteDate = time.Unix(1000, 0), time.Unix(1000-r.Int64N(300), 0)
		s.Tags = map[string]string{"dc": string(rune('a' + r.IntN(3)))}
		t.Servers = append(t.Servers, s)
	}
	return t
}

func randomSelector(r *rand.Rand) *selection.Selector {
	s := &selection.Selector{Write: r.IntN(4) == 0, LocalThreshold: 15 * time.Millisecond, HeartbeatFrequency: 10 * time.Second}
	rp := &options.ReadPreference{Mode: options.ReadPreferenceMode(1 + r.IntN(5))}
	if rp.Mode != options.Primary {
		for range r.IntN(3) {
			rp.TagSets = append(rp.TagSets, options.TagSet{{Name: "dc", Value: string(rune('a' + r.IntN(4)))}})
		}
		if r.IntN(2) == 0 {
			rp.MaxStaleness = new(time.Duration(90+r.IntN(120)) * time.Second)
		}
	}
	s.ReadPreference = rp
	for range r.IntN(3) {
		s.Deprioritized = append(s.Deprioritized, string(rune('a'+r.IntN(6)))+":1")
	}
	return s
}
