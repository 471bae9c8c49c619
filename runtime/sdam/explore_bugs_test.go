package sdam

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// step is what an exploration explores.
type step = func(*Model, description.Topology, input) (description.Topology, Effects)

// cell is a cell of the TopologyType table.
type cell struct {
	topology description.TopologyType
	server   description.ServerType
}

// withCell returns the step of a model with one broken cell in the TopologyType table.
func withCell(broken cell, actions ...sdamtable.Action) step {
	return func(m *Model, t description.Topology, in input) (description.Topology, Effects) {
		changed := *m
		changed.transition = func(t description.TopologyType, s description.ServerType) []sdamtable.Action {
			if t == broken.topology && s == broken.server {
				return actions
			}
			return sdamtable.Transition(t, s)
		}
		return applyInput(&changed, t, in)
	}
}

// withSpoiled returns the step of a model with a bug that spoils the result.
func withSpoiled(spoil func(before *description.Topology, in input, after *description.Topology, fx *Effects)) step {
	return func(m *Model, t description.Topology, in input) (description.Topology, Effects) {
		after, fx := applyInput(m, t, in)
		after.Servers = slices.Clone(after.Servers)
		spoil(&t, in, &after, &fx)
		return after, fx
	}
}

// plantedBug is a bug with the invariant that it breaks.
type plantedBug struct {
	name      string
	invariant string
	step      step
}

func plantedBugs() []plantedBug {
	return []plantedBug{
		{"cell: a lost primary is not looked for", "ReplicaSetWithPrimary has a primary, ReplicaSetNoPrimary has none",
			withCell(cell{description.ReplicaSetWithPrimary, description.ServerUnknown})},
		{"cell: a mongos stays in a replica set", "servers of another kind leave",
			withCell(cell{description.ReplicaSetNoPrimary, description.Mongos})},
		{"cell: Single becomes Sharded", "Single never changes its type or its server",
			withCell(cell{description.Single, description.Mongos}, sdamtable.SetSharded)},
		{"cell: a primary of an unknown topology is not taken up", "servers of another kind leave",
			withCell(cell{description.TopologyUnknown, description.RSPrimary})},
		{"the old primary is not invalidated", "at most one RSPrimary", withSpoiled(keepOldPrimary)},
		{"a removed server returns", "a server that joins was named by the member that was checked", withSpoiled(resurrect)},
		{"the set name follows the last member", "the set name never changes once it is known", withSpoiled(followSetName)},
		{"the topologyVersion is not compared", "a stale topologyVersion never wins", ignoreTopologyVersion},
		{"the generation is not compared", "an error of an older generation changes nothing", ignoreGeneration},
		{"a pool is cleared twice",
			"generations only grow: a pool is cleared at most once in a step, and only if its server is there", withSpoiled(clearTwice)},
		{"a new server gets no monitor", "monitors start and stop with their servers", withSpoiled(forgetMonitors)},
		{"a change of another server is not published", "the published description is the fold of the events", withSpoiled(forgetEvents)},
		{"new servers are appended", "servers are sorted and unique", withSpoiled(appendUnsorted)},
		{"the description is changed in place", beforeIsKept, changeInPlace},
	}
}

func TestExplorerFindsPlantedBugs(t *testing.T) {
	for _, tt := range plantedBugs() {
		t.Run(tt.name, func(t *testing.T) {
			var found []string
			for _, m := range []Model{{Seeds: names[:3]}, {Seeds: names[:1]}, {Seeds: names[:1], Direct: true}} {
				for _, v := range explore(newWorld(3, m), 3, tt.step).violations {
					found = append(found, v.invariants...)
				}
			}
			if !slices.Contains(found, tt.invariant) {
				t.Errorf("the bug was not found by %q but by %q", tt.invariant, found)
			}
		})
	}
}

func TestEveryInvariantHasAPlantedBug(t *testing.T) {
	names := []string{beforeIsKept}
	for _, inv := range invariants {
		names = append(names, inv.name)
	}
	for _, name := range names {
		if !slices.ContainsFunc(plantedBugs(), func(b plantedBug) bool { return b.invariant == name }) {
			t.Errorf("no bug is planted for %q", name)
		}
	}
}

func keepOldPrimary(before *description.Topology, in input, after *description.Topology, _ *Effects) {
	if applied, ok := after.Server(in.server.Address); !ok || applied.Type != description.RSPrimary {
		return
	}
	for i := range before.Servers {
		old := &before.Servers[i]
		if s, ok := after.Server(old.Address); ok && old.Type == description.RSPrimary && in.server.Address != old.Address {
			*s = *old
		}
	}
}

func resurrect(before *description.Topology, in input, after *description.Topology, _ *Effects) {
	if len(before.Servers) < 3 && in.server.Err != nil {
		*after = addMissing(*after)
	}
}

// addMissing adds the first server that is missing.
func addMissing(t description.Topology) description.Topology {
	u := (&Model{}).begin(t)
	for _, name := range names[:3] {
		if u.server(name) == nil {
			u.add(name)
			break
		}
	}
	return u.next
}

func followSetName(before *description.Topology, in input, after *description.Topology, _ *Effects) {
	if before.SetName != "" && in.server.SetName != "" {
		after.SetName = in.server.SetName
	}
}

func ignoreTopologyVersion(m *Model, t description.Topology, in input) (description.Topology, Effects) {
	current, ok := t.Server(in.server.Address)
	if !ok || current.TopologyVersion.Compare(in.server.TopologyVersion) <= 0 {
		return applyInput(m, t, in)
	}
	u := m.begin(t)
	*u.server(in.server.Address) = in.server
	return u.finish(&in.server)
}

func ignoreGeneration(m *Model, t description.Topology, in input) (description.Topology, Effects) {
	if in.failure != nil {
		e := *in.failure
		e.Generation = e.PoolGeneration
		in.failure = &e
	}
	return applyInput(m, t, in)
}

func clearTwice(_ *description.Topology, _ input, _ *description.Topology, fx *Effects) {
	fx.Clear = append(fx.Clear, fx.Clear...)
}

func forgetMonitors(_ *description.Topology, _ input, _ *description.Topology, fx *Effects) {
	fx.Opened = nil
}

func forgetEvents(_ *description.Topology, in input, _ *description.Topology, fx *Effects) {
	fx.Events = slices.DeleteFunc(slices.Clone(fx.Events), func(e any) bool {
		changed, ok := e.(*event.ServerDescriptionChanged)
		return ok && changed.Address != in.server.Address
	})
}

func appendUnsorted(_ *description.Topology, _ input, after *description.Topology, fx *Effects) {
	if len(fx.Opened) > 0 {
		slices.Reverse(after.Servers)
	}
}

func changeInPlace(m *Model, t description.Topology, in input) (description.Topology, Effects) {
	after, fx := applyInput(m, t, in)
	if s, ok := t.Server(in.server.Address); ok && in.failure == nil {
		*s = in.server
	}
	return after, fx
}
