package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// Machines is what the emitter of a table of state machines sees.
type Machines struct {
	Table    string
	Package  string
	Machines []Machine
	Messages []Message
}

// Machine is one state machine with a cell for each state and input.
type Machine struct {
	Name, Title, Doc, Spec, Initial string
	States, Inputs                  []MachineName
	Cells                           [][]MachineCell // [state][input]
}

// MachineName is a state or an input.
type MachineName struct {
	Name, Text, Doc string
}

// MachineCell is the next state, or the error that an input causes.
type MachineCell struct {
	Input, To, Error string
}

// NewPoolMachines resolves and checks the machines of pools and connections.
func NewPoolMachines(t *load.Tables) *Machines {
	return newMachines(t, t.PoolStates(), "pool")
}

// NewTransactionMachine resolves and checks the machine of transactions.
func NewTransactionMachine(t *load.Tables) *Machines {
	return newMachines(t, t.TransactionStates(), "transactions")
}

func newMachines(t *load.Tables, in *load.Machines, group string) *Machines {
	out := &Machines{Table: group + "/states.yaml", Messages: newMessages(t, t.Messages(group+"/messages.yaml").Rows)}
	names := newGoNames(t)
	for _, m := range in.Machines {
		if out.Package != "" && out.Package != m.Package {
			t.Problemf(m.At, "%s: the machines of a table share a package", m.Title)
		}
		out.Package = m.Package
		out.Machines = append(out.Machines, newMachine(t, names, m))
	}
	return out
}

func newMachine(t *load.Tables, names goNames, in load.Machine) Machine {
	out := Machine{
		Name: in.Name, Title: in.Title, Doc: in.Doc, Spec: in.Spec, Initial: in.Initial,
		States: machineNames(t, names, in.States), Inputs: machineNames(t, names, in.Inputs),
	}
	checkSentence(t, in.At, in.Doc)
	if len(out.States) > 0 && in.Initial != out.States[0].Name {
		t.Problemf(in.At, "%s: the initial state must come first, so that it is the zero value", in.Title)
	}
	cells := map[[2]string]MachineCell{}
	pairs := newUnique[[2]string](t)
	for _, e := range in.Edges {
		for _, input := range e.Inputs {
			key := [2]string{e.From, input}
			pairs.add(key, e.To, e.At, "%s: %s with %s is given twice", in.Title, e.From, input)
			cells[key] = machineCell(t, in, e, input)
		}
	}
	for _, s := range out.States {
		var row []MachineCell
		for _, i := range out.Inputs {
			cell, ok := cells[[2]string{s.Name, i.Name}]
			if !ok {
				t.Problemf(in.At, "%s: %s does not know %s", in.Title, s.Name, i.Name)
			}
			delete(cells, [2]string{s.Name, i.Name})
			row = append(row, cell)
		}
		out.Cells = append(out.Cells, row)
	}
	for _, e := range in.Edges {
		for _, input := range e.Inputs {
			if _, left := cells[[2]string{e.From, input}]; left {
				t.Problemf(e.At, "%s: there is no state %s with an input %s", in.Title, e.From, input)
			}
		}
	}
	checkReachable(t, in, out)
	return out
}

// checkReachable checks that edges lead from the initial state to every other one, and that every input has a state that
// accepts it.
func checkReachable(t *load.Tables, in load.Machine, m Machine) {
	reached := map[string]bool{in.Initial: true}
	for range m.States {
		for i, s := range m.States {
			for _, c := range m.Cells[i] {
				reached[c.To] = reached[c.To] || reached[s.Name]
			}
		}
	}
	for _, s := range in.States {
		if !reached[s.Name] {
			t.Problemf(s.At, "%s: no edge leads to %s", in.Title, s.Name)
		}
	}
	for j, input := range in.Inputs {
		if !slices.ContainsFunc(m.Cells, func(row []MachineCell) bool { return row[j].To != "error" }) {
			t.Problemf(input.At, "%s: every state refuses %s", in.Title, input.Name)
		}
	}
}

func machineCell(t *load.Tables, in load.Machine, e load.MachineEdge, input string) MachineCell {
	text, hasText := e.Errors.Get(input)
	known := false
	for _, s := range in.States {
		known = known || s.Name == e.To
	}
	switch {
	case e.To == "error" && !hasText:
		t.Problemf(e.At, "%s: the error of %s with %s has no text", in.Title, e.From, input)
	case e.To != "error" && hasText:
		t.Problemf(e.At, "%s: %s with %s is not an error but has a text", in.Title, e.From, input)
	case e.To != "error" && !known:
		t.Problemf(e.At, "%s: there is no state %s", in.Title, e.To)
	}
	return MachineCell{Input: input, To: e.To, Error: text}
}

func machineNames(t *load.Tables, names goNames, rows []load.MachineName) []MachineName {
	var out []MachineName
	for _, r := range rows {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		out = append(out, MachineName{Name: r.Name, Text: r.Text, Doc: r.Doc})
	}
	return out
}
