package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// SDAM is what the emitter of package sdam sees.
type SDAM struct {
	Types    *Description
	Initial  []InitialTopology
	Facts    []HelloFact
	Rows     []HelloRow // by priority; the last has no condition
	Actions  []TransitionAction
	Cells    [][]TransitionCell // [topology][server], in the order of Types
	Errors   ServerErrors
	Messages []Message
}

// InitialTopology is the type that a client starts with. nil matches any value.
type InitialTopology struct {
	LoadBalanced                 bool
	DirectConnection, ReplicaSet *bool
	Topology                     string
}

// HelloFact is one thing that classification reads from a reply.
type HelloFact struct {
	Name, Doc string
	Text      bool
	Fields    []string
}

// HelloRow assigns a server type to replies that meet every condition.
type HelloRow struct {
	Type, Doc  string
	Conditions []Condition
}

// Condition is about one fact: true, false, a text, or present.
type Condition struct {
	Fact    string
	Value   any
	Present bool
}

// TransitionAction is one step of a transition.
type TransitionAction struct {
	Name, Doc string
	Targets   []string // topology types that it may lead to
}

// TransitionCell is what to do for a pair of a topology type and a server type.
type TransitionCell struct {
	Server  string
	Actions []string
	at      load.Pos
}

// NewSDAM resolves and checks the tables of discovery and monitoring.
func NewSDAM(t *load.Tables) *SDAM {
	out := &SDAM{Types: NewDescription(t)}
	addInitialTopologies(t, out)
	addHelloRows(t, out)
	addTransitions(t, out)
	out.Errors = newServerErrors(t)
	out.Messages = newMessages(t, t.Messages("server/messages.yaml").Rows)
	return out
}

func (m *SDAM) hasServer(name string) bool {
	return slices.ContainsFunc(m.Types.Servers, func(s ServerType) bool { return s.Name == name })
}

func (m *SDAM) topology(name string) int {
	return slices.IndexFunc(m.Types.Topologies, func(s TopologyType) bool { return s.Name == name })
}

// addInitialTopologies checks that each combination of the three options has exactly one row.
func addInitialTopologies(t *load.Tables, out *SDAM) {
	rows := t.ServerTypes().Initial
	for _, r := range rows {
		if out.topology(r.Topology) < 0 {
			t.Problemf(r.At, "there is no topology type %s", r.Topology)
		}
		out.Initial = append(out.Initial, InitialTopology{r.LoadBalanced, r.DirectConnection, r.ReplicaSet, r.Topology})
	}
	for i := range 8 {
		loadBalanced, direct, replicaSet := i&4 != 0, i&2 != 0, i&1 != 0
		matches := 0
		for _, r := range out.Initial {
			if r.LoadBalanced == loadBalanced && (r.DirectConnection == nil || *r.DirectConnection == direct) &&
				(r.ReplicaSet == nil || *r.ReplicaSet == replicaSet) {
				matches++
			}
		}
		if matches != 1 {
			t.Problemf(load.Pos{File: "specs/server/types.yaml", Line: 1},
				"initial: loadBalanced %t, directConnection %t, replicaSet %t has %d rows; one is expected",
				loadBalanced, direct, replicaSet, matches)
		}
	}
}

func addHelloRows(t *load.Tables, out *SDAM) {
	in := t.Hello()
	names := newGoNames(t)
	kinds := map[string]string{}
	for _, f := range in.Facts {
		names.add(f.Name, f.At)
		checkSentence(t, f.At, f.Doc)
		if f.Kind != "bool" && f.Kind != "text" {
			t.Problemf(f.At, "%s: kind is bool or text, not %s", f.Name, f.Kind)
		}
		kinds[f.Name] = f.Kind
		out.Facts = append(out.Facts, HelloFact{Name: f.Name, Doc: f.Doc, Text: f.Kind == "text", Fields: f.Fields})
	}
	priorities := newUnique[int](t)
	rows := slices.Clone(in.Rows)
	slices.SortStableFunc(rows, func(a, b load.HelloRow) int { return cmp.Compare(a.Priority, b.Priority) })
	for i, r := range rows {
		priorities.add(r.Priority, r.Type, r.At, "priority %d is given twice", r.Priority)
		if !out.hasServer(r.Type) {
			t.Problemf(r.At, "there is no server type %s", r.Type)
		}
		if last := i == len(rows)-1; last != (len(r.When) == 0) {
			t.Problemf(r.At, "%s: the last row, and only the last, has no condition", r.Type)
		}
		row := HelloRow{Type: r.Type, Doc: r.Doc}
		for _, w := range r.When {
			row.Conditions = append(row.Conditions, condition(t, w, kinds))
		}
		out.Rows = append(out.Rows, row)
	}
	checkHelloSymptoms(t, out)
	for _, s := range t.ServerTypes().Servers {
		found := slices.ContainsFunc(out.Rows, func(r HelloRow) bool { return r.Type == s.Name })
		unfound := slices.ContainsFunc(in.Symptoms, func(y load.HelloSymptom) bool { return y.Type == s.Name && len(y.Mentions) == 0 })
		if !found && !unfound {
			t.Problemf(s.At, "%s: no row of server/hello.yaml finds it, and no symptom there says that none does", s.Name)
		}
	}
}

// checkHelloSymptoms checks that the conditions of a type use only what upstream's table mentions. A type has no conditions if it
// remains when no other type fits, or if no reply leads to it.
func checkHelloSymptoms(t *load.Tables, out *SDAM) {
	states := newUnique[string](t)
	conditions := map[string][]string{}
	for _, r := range out.Rows {
		for _, c := range r.Conditions {
			if out.hasServer(r.Type) && slices.ContainsFunc(out.Facts, func(f HelloFact) bool { return f.Name == c.Fact }) {
				conditions[r.Type] = append(conditions[r.Type], c.Fact)
			}
		}
	}
	for _, s := range t.Hello().Symptoms {
		states.add(s.State, s.Type, s.At, "state %s appears twice", s.State)
		checkSentence(t, s.At, s.Doc)
		var mentioned []string
		for _, m := range s.Mentions {
			if fact := out.factOf(m); fact != "" {
				mentioned = append(mentioned, fact)
			} else {
				t.Problemf(s.At, "%s: there is no fact about %q", s.State, m)
			}
		}
		for _, fact := range conditions[s.Type] {
			if !slices.Contains(mentioned, fact) {
				t.Problemf(s.At, "%s: the rows of %s ask for %s, which upstream does not mention", s.State, s.Type, fact)
			}
		}
		for _, fact := range mentioned {
			if len(conditions[s.Type]) > 0 && !slices.Contains(conditions[s.Type], fact) {
				t.Problemf(s.At, "%s: no row of %s asks for %s, which upstream mentions", s.State, s.Type, fact)
			}
		}
		delete(conditions, s.Type)
	}
	for _, r := range t.Hello().Rows {
		if len(conditions[r.Type]) > 0 {
			t.Problemf(r.At, "%s: there is no symptom of it", r.Type)
		}
	}
}

// factOf returns the fact that a text like "msg: isdbgrid" is about.
func (m *SDAM) factOf(mention string) string {
	field := strings.FieldsFunc(mention, func(r rune) bool { return r == ':' || r == '=' })[0]
	for _, f := range m.Facts {
		if slices.Contains(f.Fields, field) || strings.EqualFold(f.Name, field) {
			return f.Name
		}
	}
	return ""
}

func condition(t *load.Tables, w load.Entry[any], kinds map[string]string) Condition {
	c := Condition{Fact: w.Key, Value: w.Value, Present: w.Value == "present"}
	_, isBool := w.Value.(bool)
	switch kind, ok := kinds[w.Key]; {
	case !ok:
		t.Problemf(w.At, "there is no fact %s", w.Key)
	case isBool != (kind == "bool"):
		t.Problemf(w.At, "%s is a %s; %v does not compare with it", w.Key, kind, w.Value)
	}
	return c
}
