package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// addTransitions fills the matrix from upstream's rows and our own. It reports cells that are missing or filled twice.
func addTransitions(t *load.Tables, out *SDAM) {
	in := t.Transitions()
	names := newGoNames(t)
	for _, a := range in.Actions {
		names.add(a.Name, a.At)
		checkSentence(t, a.At, a.Doc)
		for _, target := range a.Targets {
			if out.topology(target) < 0 {
				t.Problemf(a.At, "there is no topology type %s", target)
			}
		}
		out.Actions = append(out.Actions, TransitionAction{Name: a.Name, Doc: a.Doc, Targets: a.Targets})
	}
	m := matrix{tables: t, sdam: out, cells: map[[2]string]TransitionCell{}}
	for _, r := range in.Rows {
		m.set("TopologyUnknown", r.Server, r.TopologyUnknown, r.At)
		m.set("Sharded", r.Server, r.Sharded, r.At)
		m.set("ReplicaSetNoPrimary", r.Server, r.ReplicaSetNoPrimary, r.At)
		m.set("ReplicaSetWithPrimary", r.Server, r.ReplicaSetWithPrimary, r.At)
	}
	for _, r := range in.Own {
		for _, server := range r.Servers {
			for _, topology := range r.Topologies {
				m.set(topology, server, r.Actions, r.At)
			}
		}
	}
	for _, topology := range out.Types.Topologies {
		var row []TransitionCell
		for _, server := range out.Types.Servers {
			cell, ok := m.cells[[2]string{topology.Name, server.Name}]
			if !ok {
				t.Problemf(load.Pos{File: "specs/server/transitions.yaml", Line: 1}, "the cell %s, %s is missing",
					topology.Name, server.Name)
			}
			row = append(row, cell)
		}
		out.Cells = append(out.Cells, row)
	}
	m.reportUnusedActions(in.Actions)
}

// matrix collects the cells of the transition table.
type matrix struct {
	tables *load.Tables
	sdam   *SDAM
	cells  map[[2]string]TransitionCell
}

func (m *matrix) set(topology, server string, actions []load.Word, at load.Pos) {
	switch first, twice := m.cells[[2]string{topology, server}]; {
	case m.sdam.topology(topology) < 0:
		m.tables.Problemf(at, "there is no topology type %s", topology)
	case !m.sdam.hasServer(server):
		m.tables.Problemf(at, "there is no server type %s", server)
	case twice:
		m.tables.Problemf(at, "the cell %s, %s is given twice (line %d)", topology, server, first.at.Line)
	}
	cell := TransitionCell{Server: server, at: at}
	for _, a := range actions {
		if !slices.ContainsFunc(m.sdam.Actions, func(x TransitionAction) bool { return x.Name == a.Text }) {
			m.tables.Problemf(a.At, "there is no action %s", a.Text)
		}
		cell.Actions = append(cell.Actions, a.Text)
	}
	m.cells[[2]string{topology, server}] = cell
}

func (m *matrix) reportUnusedActions(actions []load.TransitionAction) {
	used := map[string]bool{}
	for _, c := range m.cells {
		for _, a := range c.Actions {
			used[a] = true
		}
	}
	for _, a := range actions {
		if !used[a.Name] {
			m.tables.Problemf(a.At, "no cell has the action %s", a.Name)
		}
	}
}

// ServerErrors says what errors do to a server.
type ServerErrors struct {
	Causes, Phases, Effects []Named
	Rows                    [][]ServerError // [phase][cause]
}

// Named is a member of an enumeration that has no further columns.
type Named struct {
	Name, Doc string
}

// ServerError is one cell of that table.
type ServerError struct {
	Cause                 string
	Effects, LoadBalanced []string
}

func newServerErrors(t *load.Tables) ServerErrors {
	in := t.ServerErrors()
	names := newGoNames(t)
	out := ServerErrors{
		Causes:  namedRows(t, names, in.Causes),
		Phases:  namedRows(t, names, in.Phases),
		Effects: namedRows(t, names, in.Effects),
	}
	cells := map[[2]string]ServerError{}
	pairs := newUnique[[2]string](t)
	for _, r := range in.Rows {
		key := [2]string{r.Phase, r.Cause}
		pairs.add(key, r.Cause, r.At, "%s, %s is given twice", r.Phase, r.Cause)
		if !hasName(out.Phases, r.Phase) || !hasName(out.Causes, r.Cause) {
			t.Problemf(r.At, "there is no phase %s with cause %s", r.Phase, r.Cause)
		}
		cells[key] = ServerError{Cause: r.Cause, Effects: effectNames(t, out.Effects, r.Effects),
			LoadBalanced: effectNames(t, out.Effects, r.LoadBalanced)}
	}
	for _, phase := range out.Phases {
		var row []ServerError
		for _, cause := range out.Causes {
			cell, ok := cells[[2]string{phase.Name, cause.Name}]
			if !ok {
				t.Problemf(load.Pos{File: "specs/server/errors.yaml", Line: 1}, "the cell %s, %s is missing", phase.Name, cause.Name)
			}
			row = append(row, cell)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func namedRows(t *load.Tables, names goNames, rows []load.Named) []Named {
	var out []Named
	for _, r := range rows {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		out = append(out, Named{Name: r.Name, Doc: r.Doc})
	}
	return out
}

func hasName(rows []Named, name string) bool {
	return slices.ContainsFunc(rows, func(n Named) bool { return n.Name == name })
}

func effectNames(t *load.Tables, effects []Named, words []load.Word) []string {
	var out []string
	for _, w := range words {
		if !hasName(effects, w.Text) {
			t.Problemf(w.At, "there is no effect %s", w.Text)
		}
		out = append(out, w.Text)
	}
	return out
}
