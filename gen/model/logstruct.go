package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// LogStruct is the struct of all shared keys of a component, which the messages of the component embed.
type LogStruct struct {
	Name, Component, Doc, Spec string
	Keys                       []LogKey
	Events                     []LogEvent
}

// LogEvent is an event with fields of a LogStruct. Upstream is the name that the specification gives the event.
type LogEvent struct {
	Name, Upstream string
	Fields         []string
}

// logStructs resolves the structs of shared keys.
func logStructs(t *load.Tables, names goNames, common map[string]LogKey) []LogStruct {
	var out []LogStruct
	in := t.LogKeys()
	for _, r := range in.Structs {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		s := LogStruct{Name: r.Name, Component: r.Component, Doc: r.Doc, Spec: r.Spec}
		for _, k := range in.Rows {
			if k.Component == r.Component {
				s.Keys = append(s.Keys, common[k.Component+"."+k.Key])
			}
		}
		if len(s.Keys) == 0 {
			t.Problemf(r.At, "struct %s: component %s has no common key", r.Name, r.Component)
		}
		for _, name := range r.Events {
			s.Events = append(s.Events, logEvent(t, s.Keys, name, r.At))
		}
		out = append(out, s)
	}
	return out
}

// logEvent finds the fields of an event that are keys of a struct.
func logEvent(t *load.Tables, keys []LogKey, name string, at load.Pos) LogEvent {
	out := LogEvent{Name: name}
	events := t.Events().Rows
	i := slices.IndexFunc(events, func(e load.Event) bool { return e.Go == name })
	if i < 0 {
		t.Problemf(at, "no event is called %s", name)
		return out
	}
	out.Upstream = events[i].Event
	for _, k := range keys {
		for _, f := range events[i].Fields {
			switch {
			case f.Name != k.Key:
			case f.Kind != k.Kind:
				t.Problemf(f.At, "field %s of event %s has kind %s, the key has kind %s", f.Name, name, f.Kind, k.Kind)
			default:
				out.Fields = append(out.Fields, k.Name)
			}
		}
	}
	if len(out.Fields) == 0 {
		t.Problemf(at, "event %s has no common key as a field", name)
	}
	return out
}

// shareLogKeys marks the keys that a message has through its component's struct.
func shareLogKeys(t *load.Tables, structs []LogStruct, m *LogMessage, r load.LogMessage) {
	for _, s := range structs {
		if s.Component != r.Component {
			continue
		}
		m.Struct = s.Name
		var missing []string
		for _, k := range s.Keys {
			if !slices.Contains(r.Common, k.Key) {
				missing = append(missing, k.Key)
			}
		}
		if missing != nil {
			t.Problemf(r.At, "the message embeds %s and lacks its keys %s", s.Name, strings.Join(missing, ", "))
		}
		for i := range m.Keys {
			m.Keys[i].Shared = slices.Contains(r.Common, m.Keys[i].Key)
		}
	}
}
