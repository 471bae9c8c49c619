package load

// Events is specs/events/events.yaml.
type Events struct {
	Header
	Structs []EventStruct `yaml:"structs"`
	Rows    []Event       `yaml:"rows"`
}

// EventStruct is a struct that serves as the type of event fields.
type EventStruct struct {
	Row
	Name    string       `yaml:"name"`
	Monitor string       `yaml:"monitor"` // the monitor whose events hold it
	Fields  []EventField `yaml:"fields"`
}

// Event is one event type.
type Event struct {
	Row
	Event   string       `yaml:"event"` // upstream's name
	Go      string       `yaml:"go"`
	Monitor string       `yaml:"monitor"`
	Fields  []EventField `yaml:"fields"`
}

// EventField is one field of an event.
type EventField struct {
	Row
	Name string `yaml:"name"`          // upstream's name
	Type string `yaml:"type,optional"` // upstream's type; absent for a field of our own
	Kind string `yaml:"kind"`          // the Go type: a word of the table language, a struct or a reason
}

// EventReasons is specs/events/reasons.yaml.
type EventReasons struct {
	Header
	Rows []EventReason `yaml:"rows"`
}

// EventReason is one enumeration of reasons.
type EventReason struct {
	Row
	Type   string             `yaml:"type"`
	Values []EventReasonValue `yaml:"values"`
}

// EventReasonValue is one reason.
type EventReasonValue struct {
	Row
	Name  string `yaml:"name"`  // Go constant
	Value string `yaml:"value"` // the value in events
	Text  string `yaml:"text"`  // the text in log messages
}

// EventMonitors is specs/events/monitors.yaml.
type EventMonitors struct {
	Header
	Rows []EventMonitor `yaml:"rows"`
}

// EventMonitor is one listener type.
type EventMonitor struct {
	Row
	Monitor string `yaml:"monitor"` // the name that events use for it
	Go      string `yaml:"go"`
	Context bool   `yaml:"context,optional"` // its functions take the context of the operation
	Prefix  string `yaml:"prefix,optional"`  // dropped from event names to form function names
}

// Events reads the table of events.
func (t *Tables) Events() *Events { return Read[Events](t, "events/events.yaml") }

// EventReasons reads the table of reasons.
func (t *Tables) EventReasons() *EventReasons { return Read[EventReasons](t, "events/reasons.yaml") }

// EventMonitors reads the table of listener types.
func (t *Tables) EventMonitors() *EventMonitors {
	return Read[EventMonitors](t, "events/monitors.yaml")
}
