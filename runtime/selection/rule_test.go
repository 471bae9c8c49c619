package selection_test

import (
	"reflect"
	"testing"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// Server selection, "mode": staleness and tag sets never apply to a primary that a mode asks for by name.
func TestStepsOfModes(t *testing.T) {
	primary := selecttable.Step{Primary: true}
	secondaries := selecttable.Step{Secondary: true, Filtered: true}
	for mode, want := range map[options.ReadPreferenceMode][]selecttable.Step{
		options.Primary:            {primary},
		options.PrimaryPreferred:   {primary, secondaries},
		options.Secondary:          {secondaries},
		options.SecondaryPreferred: {secondaries, primary},
		options.Nearest:            {{Primary: true, Secondary: true, Filtered: true}},
	} {
		if got := selecttable.Steps(mode); !reflect.DeepEqual(got, want) {
			t.Errorf("Steps(%v) = %+v, want %+v", mode, got, want)
		}
	}
}

func TestCandidatesOfTopologies(t *testing.T) {
	for typ, want := range map[description.TopologyType][2]selecttable.Candidates{
		description.TopologyUnknown:       {selecttable.NoServer, selecttable.NoServer},
		description.Single:                {selecttable.AnyServer, selecttable.AnyServer},
		description.ReplicaSetNoPrimary:   {selecttable.ByMode, selecttable.NoServer},
		description.ReplicaSetWithPrimary: {selecttable.ByMode, selecttable.PrimaryServer},
		description.Sharded:               {selecttable.MongosServers, selecttable.MongosServers},
		description.LoadBalanced:          {selecttable.AnyServer, selecttable.AnyServer},
	} {
		if got := [2]selecttable.Candidates{selecttable.ForRead(typ), selecttable.ForWrite(typ)}; got != want {
			t.Errorf("%v: %v, want %v", typ, got, want)
		}
	}
}

// Server selection, "Passing read preference to mongos and load balancers" and "Topology type: Single".
func TestWhenReadPreferenceIsSent(t *testing.T) {
	type pair struct {
		topology description.TopologyType
		server   description.ServerType
	}
	unlessPrimary := []pair{
		{description.Single, description.Mongos}, {description.Single, description.LoadBalancer},
		{description.ReplicaSetNoPrimary, description.RSPrimary}, {description.ReplicaSetNoPrimary, description.RSSecondary},
		{description.ReplicaSetWithPrimary, description.RSPrimary}, {description.ReplicaSetWithPrimary, description.RSSecondary},
		{description.Sharded, description.Mongos}, {description.LoadBalanced, description.LoadBalancer},
	}
	for _, p := range unlessPrimary {
		if got, ok := selecttable.PassReadPreference(p.topology, p.server, options.Nearest); !ok || got != options.Nearest {
			t.Errorf("%v, %v: nearest is sent as %v, %t", p.topology, p.server, got, ok)
		}
		if _, ok := selecttable.PassReadPreference(p.topology, p.server, options.Primary); ok {
			t.Errorf("%v, %v: primary is sent", p.topology, p.server)
		}
	}
	for _, s := range []description.ServerType{
		description.RSPrimary, description.RSSecondary, description.RSArbiter, description.RSOther, description.RSGhost,
	} {
		for mode, want := range map[options.ReadPreferenceMode]options.ReadPreferenceMode{
			0: options.PrimaryPreferred, options.Primary: options.PrimaryPreferred, options.Secondary: options.Secondary,
		} {
			if got, ok := selecttable.PassReadPreference(description.Single, s, mode); !ok || got != want {
				t.Errorf("Single, %v: %v is sent as %v, %t", s, mode, got, ok)
			}
		}
	}
	if _, ok := selecttable.PassReadPreference(description.Single, description.Standalone, options.Nearest); ok {
		t.Error("a standalone is sent a read preference")
	}
}
