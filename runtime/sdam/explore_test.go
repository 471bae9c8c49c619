package sdam

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/description"
)

// The explorer applies every input of an alphabet to every state that it can reach from the initial one, level by
// level. It checks the invariants on every edge. States count as one if they differ only by a renaming of the servers,
// or in facts that no later step reads. A deeper run, with EXPLORE_DEPTH, does not rely on the second rule.

// explorer is one exploration. step is the model, or the model with a planted bug.
type explorer struct {
	w    world
	step func(m *Model, t description.Topology, in input) (description.Topology, Effects)

	seen          map[stateKey]struct{} // canonical
	seenUnrenamed map[stateKey]struct{} // before renaming, because most states are found again and again
	edges         int
	violations    []violation
}

// violation is an edge on which an invariant does not hold.
type violation struct {
	invariants []string
	edge       string
}

// beforeIsKept is the invariant that a returned description never changes.
const beforeIsKept = "the description before is not changed"

// report is the result of an exploration.
type report struct {
	states, edges, depth int
	isComplete           bool // no state was left to look at
	violations           []violation
}

// explore visits the states up to a depth, and stops at the first level with a violation.
func explore(w world, depth int, step func(*Model, description.Topology, input) (description.Topology, Effects)) report {
	x := &explorer{w: w, step: step, seen: map[stateKey]struct{}{}, seenUnrenamed: map[stateKey]struct{}{}}
	initial, _ := w.model.Initial()
	x.isNew(&initial)
	level := []description.Topology{initial}
	reached := 0
	for reached < depth && len(level) > 0 && len(x.violations) == 0 {
		reached++
		level = x.next(level)
	}
	return report{
		states: len(x.seen), edges: x.edges, depth: reached, isComplete: len(level) == 0, violations: x.violations,
	}
}

// next returns the new states that one step leads to.
func (x *explorer) next(level []description.Topology) []description.Topology {
	var found []description.Topology
	for i := range level {
		kept := x.w.factsOf(&level[i])
		for _, in := range x.w.alphabet {
			after, fx := x.step(x.w.model, level[i], in)
			x.edges++
			e := edge{w: &x.w, before: &level[i], in: in, after: &after, fx: &fx}
			broken := e.brokenInvariants()
			if x.w.factsOf(&level[i]) != kept {
				broken = append(broken, beforeIsKept)
			}
			if len(broken) > 0 {
				x.violations = append(x.violations, violation{broken, e.String()})
				return nil
			}
			if x.isNew(&after) {
				found = append(found, after)
			}
		}
	}
	return found
}

// isNew notes a state and reports whether it had not been seen under any naming of the servers.
func (x *explorer) isNew(t *description.Topology) bool {
	facts := x.w.factsOf(t)
	if !x.w.distinguishAll {
		facts = facts.keepVisible()
	}
	unrenamed := facts.key(x.w.renamings[0])
	if _, ok := x.seenUnrenamed[unrenamed]; ok {
		return false
	}
	x.seenUnrenamed[unrenamed] = struct{}{}
	least := unrenamed
	for _, renaming := range x.w.renamings[1:] {
		if key := facts.key(renaming); bytes.Compare(key[:], least[:]) < 0 {
			least = key
		}
	}
	if _, ok := x.seen[least]; ok {
		return false
	}
	x.seen[least] = struct{}{}
	return true
}

// applyInput is the step of the real model.
func applyInput(m *Model, t description.Topology, in input) (description.Topology, Effects) {
	switch {
	case in.failure != nil:
		e := *in.failure
		return m.HandleError(t, &e)
	case in.server.Err != nil:
		return m.CheckFailed(t, in.server)
	}
	return m.Apply(t, in.server)
}

// depthOf reads how deep to go from the environment: `make explore` goes deeper than `make test`.
func depthOf(t *testing.T, byDefault int) int {
	t.Helper()
	text := os.Getenv("EXPLORE_DEPTH")
	if text == "" {
		return byDefault
	}
	depth, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("EXPLORE_DEPTH: %v", err)
	}
	return depth
}

// serversOf reads how many servers there are from the environment.
func serversOf(t *testing.T, byDefault int) int {
	t.Helper()
	text := os.Getenv("EXPLORE_SERVERS")
	if text == "" {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxServers {
		t.Fatalf("EXPLORE_SERVERS=%s: want 1 to %d", text, maxServers)
	}
	return n
}

func TestExploreEveryStateKeepsTheInvariants(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	n := serversOf(t, 3)
	tests := []struct {
		name string
		w    world
	}{
		{"no set name", newWorld(n, Model{Seeds: names[:n]})},
		{"set name", newWorld(n, Model{Seeds: names[:n], SetName: "rs"})},
		{"one seed", newWorld(n, Model{Seeds: names[:1]})},
		{"direct", newWorld(n, Model{Seeds: names[:1], Direct: true})},
		{"direct with a set name", newWorld(n, Model{Seeds: names[:1], Direct: true, SetName: "rs"})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			tt.w.distinguishAll = os.Getenv("EXPLORE_DEPTH") != ""
			r := explore(tt.w, depthOf(t, 5), applyInput)
			t.Logf("%d servers, %d inputs: %d states, %d edges, depth %d, complete %v, %v",
				n, len(tt.w.alphabet), r.states, r.edges, r.depth, r.isComplete, time.Since(began).Round(time.Millisecond))
			for _, v := range r.violations {
				t.Errorf("%q:\n%s", v.invariants, v.edge)
			}
		})
	}
}

// edge is one step of an exploration.
type edge struct {
	w      *world
	before *description.Topology
	in     input
	after  *description.Topology
	fx     *Effects
}

func (e *edge) String() string {
	return fmt.Sprintf("before: %s\ninput:  %s\nafter:  %s\neffects: opened %q closed %q, %d events",
		Format(e.before), e.in.name, Format(e.after), e.fx.Opened, e.fx.Closed, len(e.fx.Events))
}

// brokenInvariants names the invariants that do not hold on the edge.
func (e *edge) brokenInvariants() []string {
	var names []string
	for _, inv := range invariants {
		if !inv.holds(e) {
			names = append(names, inv.name)
		}
	}
	return names
}
