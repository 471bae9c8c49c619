package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Events is what the emitter of package event sees.
type Events struct {
	Monitors []EventMonitor
	Reasons  []EventReason
}

// EventMonitor is one listener type with its events in the order of the table.
type EventMonitor struct {
	Key, Name, Doc, Spec string
	Context              bool
	Events, Structs      []EventStruct
}

// EventStruct is an event, or a struct that events hold. Func names the monitor's function that receives it.
type EventStruct struct {
	Name, Func, Doc, Spec string
	Fields                []EventField
}

// EventField is one field. Kind is a word of eventKinds or the name of a struct or a reason.
type EventField struct {
	Name, Kind, Doc string
}

// EventReason is one enumeration.
type EventReason struct {
	Name, Doc, Spec string
	Values          []EventReasonValue
}

// EventReasonValue is one constant of an enumeration.
type EventReasonValue struct {
	Name, Value, Text, Doc string
}

// eventKinds are the kinds that fields of events may have, apart from structs and reasons.
var eventKinds = []string{
	"address", "bool", "connection", "document", "duration", "duration?", "error", "int", "int?", "int64", "int64?",
	"objectid", "objectid?", "server", "string", "topology",
}

// NewEvents resolves and checks the tables of events.
func NewEvents(t *load.Tables) *Events {
	names := newGoNames(t)
	out := &Events{Reasons: eventReasons(t, names)}
	kinds := slices.Clone(eventKinds)
	for _, r := range out.Reasons {
		kinds = append(kinds, r.Name)
	}
	in := t.Events()
	for _, s := range in.Structs {
		kinds = append(kinds, s.Name)
	}
	monitors := newUnique[string](t)
	for _, m := range t.EventMonitors().Rows {
		monitors.add(m.Monitor, m.Go, m.At, "monitor %s is named twice", m.Monitor)
		names.add(m.Go, m.At)
		checkSentence(t, m.At, m.Doc)
		monitor := EventMonitor{Key: m.Monitor, Name: m.Go, Doc: m.Doc, Spec: m.Spec, Context: m.Context}
		for _, e := range in.Rows {
			if e.Monitor == m.Monitor {
				monitor.Events = append(monitor.Events, event(t, names, m.Prefix, e, kinds))
			}
		}
		for _, s := range in.Structs {
			if s.Monitor == m.Monitor {
				monitor.Structs = append(monitor.Structs, eventStruct(t, names, s, kinds))
			}
		}
		if len(monitor.Events) == 0 {
			t.Problemf(m.At, "monitor %s hears no event", m.Monitor)
		}
		out.Monitors = append(out.Monitors, monitor)
	}
	checkEventRows(t, in, monitors)
	return out
}

// checkEventRows checks the table of events as a whole.
func checkEventRows(t *load.Tables, in *load.Events, monitors *unique[string]) {
	upstream := newUnique[string](t)
	for _, e := range in.Rows {
		upstream.add(e.Event, e.Go, e.At, "event %s is named twice", e.Event)
		if _, ok := monitors.seen[e.Monitor]; !ok {
			t.Problemf(e.At, "event %s: no monitor is called %s", e.Event, e.Monitor)
		}
	}
	for _, s := range in.Structs {
		if _, ok := monitors.seen[s.Monitor]; !ok {
			t.Problemf(s.At, "struct %s: no monitor is called %s", s.Name, s.Monitor)
		}
	}
}

func event(t *load.Tables, names goNames, prefix string, e load.Event, kinds []string) EventStruct {
	names.add(e.Go, e.At)
	checkSentence(t, e.At, e.Doc)
	return EventStruct{
		Name: e.Go, Func: strings.TrimPrefix(e.Go, prefix), Doc: e.Doc, Spec: e.Spec,
		Fields: eventFields(t, e.Fields, kinds),
	}
}

func eventStruct(t *load.Tables, names goNames, s load.EventStruct, kinds []string) EventStruct {
	names.add(s.Name, s.At)
	checkSentence(t, s.At, s.Doc)
	return EventStruct{Name: s.Name, Doc: s.Doc, Spec: s.Spec, Fields: eventFields(t, s.Fields, kinds)}
}

func eventFields(t *load.Tables, fields []load.EventField, kinds []string) []EventField {
	var out []EventField
	names := newGoNames(t)
	for _, f := range fields {
		name := fieldName(f.Name, f.Kind)
		names.add(name, f.At)
		checkSentence(t, f.At, f.Doc)
		if !slices.Contains(kinds, f.Kind) {
			t.Problemf(f.At, "field %s: no kind is called %s; there are %s", f.Name, f.Kind, strings.Join(kinds, ", "))
		}
		out = append(out, EventField{Name: name, Kind: f.Kind, Doc: f.Doc})
	}
	return out
}

func eventReasons(t *load.Tables, names goNames) []EventReason {
	var out []EventReason
	for _, r := range t.EventReasons().Rows {
		names.add(r.Type, r.At)
		checkSentence(t, r.At, r.Doc)
		reason := EventReason{Name: r.Type, Doc: r.Doc, Spec: r.Spec}
		values := newUnique[string](t)
		for _, v := range r.Values {
			names.add(v.Name, v.At)
			values.add(v.Value, v.Name, v.At, "reason %q is named twice", v.Value)
			checkSentence(t, v.At, v.Doc)
			reason.Values = append(reason.Values, EventReasonValue{Name: v.Name, Value: v.Value, Text: v.Text, Doc: v.Doc})
		}
		out = append(out, reason)
	}
	return out
}
