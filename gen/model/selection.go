package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// Selection is what the emitter of package selection sees.
type Selection struct {
	Modes      []SelectionMode
	Topologies []SelectionTopology
	Passing    []SelectionPassing // without the pairs that are never sent
}

// SelectionMode holds the steps of a read preference mode.
type SelectionMode struct {
	Mode, Doc string
	Steps     []SelectionStep
}

// SelectionStep is a set of server types.
type SelectionStep struct {
	Primary, Secondary, Filtered bool
}

// SelectionTopology says which servers of a topology type serve reads and writes.
type SelectionTopology struct {
	Topology, Read, Write string
}

// SelectionPassing is a topology type whose servers get $readPreference.
type SelectionPassing struct {
	Topology, Doc, Send string
	Servers             []string
}

// NewSelection resolves and checks the rules of server selection.
func NewSelection(t *load.Tables) *Selection {
	in, types := t.SelectionRules(), NewDescription(t)
	out := &Selection{}
	modes := newUnique[string](t)
	for _, r := range in.Modes {
		modes.add(r.Mode, r.Mode, r.At, "mode %s is given twice", r.Mode)
		checkSentence(t, r.At, r.Doc)
		out.Modes = append(out.Modes, SelectionMode{Mode: r.Mode, Doc: r.Doc, Steps: selectionSteps(t, r)})
	}
	addSelectionTopologies(t, in, types, out)
	addSelectionPassing(t, in, types, out)
	return out
}

func selectionSteps(t *load.Tables, r load.SelectionMode) []SelectionStep {
	var out []SelectionStep
	for _, s := range r.Steps {
		step := SelectionStep{Filtered: s.Filtered}
		for _, c := range s.Candidates {
			switch c {
			case "RSPrimary":
				step.Primary = true
			case "RSSecondary":
				step.Secondary = true
			default:
				t.Problemf(s.At, "%s: %s is never a candidate", r.Mode, c)
			}
		}
		out = append(out, step)
	}
	return out
}

func addSelectionTopologies(t *load.Tables, in *load.SelectionRules, types *Description, out *Selection) {
	rules := []string{"none", "any", "mode", "primary", "mongos"}
	seen := newUnique[string](t)
	for _, r := range in.Topologies {
		seen.add(r.Topology, r.Topology, r.At, "topology type %s is given twice", r.Topology)
		for _, rule := range []string{r.Read, r.Write} {
			if !slices.Contains(rules, rule) {
				t.Problemf(r.At, "%s: there is no rule %s", r.Topology, rule)
			}
		}
		out.Topologies = append(out.Topologies, SelectionTopology{r.Topology, r.Read, r.Write})
	}
	for _, topology := range types.Topologies {
		if !slices.ContainsFunc(out.Topologies, func(s SelectionTopology) bool { return s.Topology == topology.Name }) {
			t.Problemf(load.Pos{File: "specs/selection/rules.yaml", Line: 1}, "topologies: %s is missing", topology.Name)
		}
	}
}

func addSelectionPassing(t *load.Tables, in *load.SelectionRules, types *Description, out *Selection) {
	pairs := newUnique[[2]string](t)
	for _, r := range in.Passing {
		if !slices.Contains([]string{"never", "unlessPrimary", "always"}, r.Send) {
			t.Problemf(r.At, "there is no rule %s", r.Send)
		}
		for _, topology := range r.Topologies {
			if !slices.ContainsFunc(types.Topologies, func(x TopologyType) bool { return x.Name == topology }) {
				t.Problemf(r.At, "there is no topology type %s", topology)
			}
			for _, server := range r.Servers {
				pairs.add([2]string{topology, server}, r.Send, r.At, "%s, %s is given twice", topology, server)
				if !slices.ContainsFunc(types.Servers, func(x ServerType) bool { return x.Name == server && x.Available }) {
					t.Problemf(r.At, "%s is not an available server type", server)
				}
			}
			if r.Send != "never" {
				out.Passing = append(out.Passing, SelectionPassing{Topology: topology, Doc: r.Doc, Send: r.Send, Servers: r.Servers})
			}
		}
	}
	for _, server := range types.Servers {
		if _, ok := pairs.seen[[2]string{"Single", server.Name}]; server.Available && !ok {
			t.Problemf(load.Pos{File: "specs/selection/rules.yaml", Line: 1}, "passing: Single, %s is missing", server.Name)
		}
	}
}
