package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Logs is what the emitter of package logmsg sees.
type Logs struct {
	Components []LogComponent
	Levels     []LogLevel
	Settings   []LogSetting
	Structs    []LogStruct
	Messages   []LogMessage
}

// LogComponent is one part of the driver that logs.
type LogComponent struct {
	Name, Text, Env, Doc string
}

// LogLevel is one severity.
type LogLevel struct {
	Name, Env, Doc string
	Code, Slog     int
}

// LogSetting is one constant; Number is used when Value is nil.
type LogSetting struct {
	Name, Doc string
	Value     *string
	Number    int
}

// LogKey is one key of a message. Name is its field.
type LogKey struct {
	Key, Name, Kind, Doc string
	Fraction             bool // a duration is a number with a fraction
	Optional, Redact     bool
	Shared               bool   // a field of the message's embedded struct
	Example              string // the Go constant of an example, for a reason
}

// LogMessage is one message. Text is its template, cut into parts.
type LogMessage struct {
	Name, Message, Component, Level, Doc, Spec string
	Struct                                     string // the embedded struct that holds the shared keys
	Keys                                       []LogKey
	Text                                       []LogPart
	Full, Bare                                 string // the text of the example, with and without optional keys
	Sensitive, Documents                       bool   // some key is redacted; some key is a document
}

// logKinds are the kinds of keys, with the reasons of package event.
var logKinds = []string{
	"bool", "document", "duration", "duration?", "error", "int", "int?", "int64", "int64?", "objectid", "objectid?",
	"string", "ClosedReason", "CheckOutFailedReason",
}

// logConstants are the rows that every message relies on: levels and settings to which the code of package logmsg
// refers.
var logConstants = []string{
	"Off", "EnvAll", "EnvMaxDocumentLength", "DefaultMaxDocumentLength", "Ellipsis", "RedactedDocument", "RedactedFailure",
}

// NewLogs resolves and checks the tables of logging.
func NewLogs(t *load.Tables) *Logs {
	names := newGoNames(t)
	out := &Logs{Components: logComponents(t, names), Levels: logLevels(t, names), Settings: logSettings(t, names)}
	for _, name := range logConstants {
		if _, ok := names.seen[name]; !ok {
			t.Problemf(load.Pos{File: "specs/logs/settings.yaml"}, "no row defines %s", name)
		}
	}
	common := commonLogKeys(t, out.Components)
	out.Structs = logStructs(t, names, common)
	used := map[string]bool{}
	messages := newUnique[string](t)
	for _, r := range t.LogMessages().Rows {
		names.add(r.Go, r.At)
		messages.add(r.Message, r.Go, r.At, "message %q is named twice", r.Message)
		out.Messages = append(out.Messages, logMessage(t, out, common, r))
		for _, key := range r.Common {
			used[r.Component+"."+key] = true
		}
	}
	for _, r := range t.LogKeys().Rows {
		if !used[r.Component+"."+r.Key] {
			t.Problemf(r.At, "no message of component %s has the key %s", r.Component, r.Key)
		}
	}
	return out
}

func logComponents(t *load.Tables, names goNames) []LogComponent {
	var out []LogComponent
	for _, r := range t.LogComponents().Rows {
		name := fieldName(r.Name, "")
		names.add(name, r.At)
		checkSentence(t, r.At, r.Doc)
		out = append(out, LogComponent{Name: name, Text: r.Name, Env: r.Env, Doc: r.Doc})
	}
	return out
}

func logLevels(t *load.Tables, names goNames) []LogLevel {
	var out []LogLevel
	codes := newUnique[int](t)
	for _, r := range t.LogLevels().Rows {
		names.add(r.Name, r.At)
		codes.add(r.Code, r.Name, r.At, "level %d is named twice", r.Code)
		checkSentence(t, r.At, r.Doc)
		out = append(out, LogLevel{Name: r.Name, Env: r.Env, Doc: r.Doc, Code: r.Code, Slog: r.Slog})
	}
	return out
}

func logSettings(t *load.Tables, names goNames) []LogSetting {
	var out []LogSetting
	for _, r := range t.LogSettings().Rows {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		s := LogSetting{Name: r.Name, Doc: r.Doc, Value: r.Value}
		if (r.Value == nil) == (r.Number == nil) {
			t.Problemf(r.At, "%s needs either a value or a number", r.Name)
		} else if r.Number != nil {
			s.Number = *r.Number
		}
		out = append(out, s)
	}
	return out
}

// commonLogKeys indexes the shared keys by component and key.
func commonLogKeys(t *load.Tables, components []LogComponent) map[string]LogKey {
	out := map[string]LogKey{}
	twice := newUnique[string](t)
	for _, r := range t.LogKeys().Rows {
		if !slices.ContainsFunc(components, func(c LogComponent) bool { return c.Text == r.Component }) {
			t.Problemf(r.At, "no component is called %s", r.Component)
		}
		id := r.Component + "." + r.Key
		twice.add(id, id, r.At, "key %s is listed twice", r.Key)
		out[id] = logKey(t, r.LogKey)
	}
	return out
}

func logKey(t *load.Tables, r load.LogKey) LogKey {
	checkSentence(t, r.At, r.Doc)
	if !slices.Contains(logKinds, r.Kind) {
		t.Problemf(r.At, "key %s: no kind is called %s; there are %s", r.Key, r.Kind, strings.Join(logKinds, ", "))
	}
	if strings.HasSuffix(r.Kind, "?") && !r.Optional {
		t.Problemf(r.At, "key %s: kind %s can be absent, so the key is optional", r.Key, r.Kind)
	}
	return LogKey{
		Key: r.Key, Name: fieldName(r.Key, r.Kind), Kind: r.Kind, Doc: r.Doc,
		Fraction: strings.Contains(r.Type, "Double"), Optional: r.Optional, Redact: r.Redact,
	}
}

func logMessage(t *load.Tables, logs *Logs, common map[string]LogKey, r load.LogMessage) LogMessage {
	out := LogMessage{Name: r.Go, Message: r.Message, Doc: r.Doc, Spec: r.Spec}
	checkSentence(t, r.At, r.Doc)
	for _, c := range logs.Components {
		if c.Text == r.Component {
			out.Component = c.Name
		}
	}
	if out.Component == "" {
		t.Problemf(r.At, "no component is called %s", r.Component)
		return out // its keys cannot be known
	}
	for _, l := range logs.Levels {
		if l.Env == r.Level {
			out.Level = l.Name
		}
	}
	if out.Level == "" {
		t.Problemf(r.At, "no level is called %s", r.Level)
	}
	for _, key := range r.Common {
		k, ok := common[r.Component+"."+key]
		if !ok {
			t.Problemf(r.At, "component %s has no common key %s", r.Component, key)
			continue
		}
		out.Keys = append(out.Keys, k)
	}
	for _, key := range r.Keys {
		out.Keys = append(out.Keys, logKey(t, key))
	}
	shareLogKeys(t, logs.Structs, &out, r)
	twice := newUnique[string](t)
	for _, k := range out.Keys {
		twice.add(k.Key, r.Go, r.At, "key %s is listed twice", k.Key)
		out.Sensitive = out.Sensitive || k.Redact
		out.Documents = out.Documents || k.Kind == "document"
	}
	out.Text = logText(t, r, out.Keys)
	out.Full, out.Bare = logExamples(t, r, out.Keys)
	return out
}
