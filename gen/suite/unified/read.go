package unified

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/suite/source"
)

// Read turns a file that Validate accepts into a model, and lists operators of matches that do not exist. It accepts an
// entity whose owner does not exist, because some tests expect that failure.
func (f *Format) Read(n *source.Node) (*File, []Violation) {
	r := &reader{format: f}
	file := &File{
		Description:   text(n, "description"),
		SchemaVersion: text(n, "schemaVersion"),
		RunOn:         requirements(n.Get("runOnRequirements")),
		Data:          collections(n.Get("initialData")),
	}
	for _, e := range items(n.Get("createEntities")) {
		file.Entities = append(file.Entities, entity(e))
	}
	for i, t := range items(n.Get("tests")) {
		r.path = fmt.Sprintf("tests[%d]", i)
		file.Tests = append(file.Tests, r.test(t))
	}
	return file, r.found
}

type reader struct {
	format *Format
	path   string
	found  []Violation
}

func (r *reader) add(n *source.Node, format string, args ...any) {
	r.found = append(r.found, Violation{Line: n.Line, Path: r.path, Text: fmt.Sprintf(format, args...)})
}

func items(n *source.Node) []*source.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func text(n *source.Node, key string) string {
	if v := n.Get(key); v != nil {
		return v.Text
	}
	return ""
}

func texts(n *source.Node) []string {
	var out []string
	for _, i := range items(n) {
		out = append(out, i.Text)
	}
	return out
}

func flag(n *source.Node, key string) *bool {
	if v := n.Get(key); v != nil {
		return new(v.Text == "true")
	}
	return nil
}

func isTrue(n *source.Node, key string) bool { return text(n, key) == "true" }

func requirements(n *source.Node) []Requirement {
	var out []Requirement
	for _, q := range items(n) {
		out = append(out, Requirement{
			MinServerVersion: text(q, "minServerVersion"), MaxServerVersion: text(q, "maxServerVersion"),
			Topologies: texts(q.Get("topologies")), Serverless: text(q, "serverless"),
			ServerParameters: q.Get("serverParameters"), Auth: flag(q, "auth"),
			AuthMechanism: text(q, "authMechanism"), CSFLE: q.Get("csfle"),
		})
	}
	return out
}

func collections(n *source.Node) []Collection {
	var out []Collection
	for _, c := range items(n) {
		out = append(out, Collection{
			Database: text(c, "databaseName"), Name: text(c, "collectionName"),
			Options: c.Get("createOptions"), Documents: items(c.Get("documents")),
		})
	}
	return out
}

// owners maps a kind of entity to the keys of its owner and of its name.
var owners = map[string]struct{ owner, name string }{
	"database": {"client", "databaseName"}, "collection": {"database", "collectionName"},
	"session": {"client", ""}, "bucket": {"database", ""},
}

func entity(n *source.Node) Entity {
	kind := n.Members[0].Key
	body := n.Members[0].Value
	return Entity{
		Kind: kind, ID: text(body, "id"), Line: body.Line, Body: body,
		Owner: text(body, owners[kind].owner), Name: text(body, owners[kind].name),
	}
}

func (r *reader) test(n *source.Node) Test {
	t := Test{
		Description: text(n, "description"), SkipReason: text(n, "skipReason"), Line: n.Line,
		RunOn: requirements(n.Get("runOnRequirements")), Outcome: collections(n.Get("outcome")),
	}
	for _, o := range items(n.Get("operations")) {
		t.Operations = append(t.Operations, r.operation(o))
	}
	for _, e := range items(n.Get("expectEvents")) {
		t.Events = append(t.Events, r.events(e))
	}
	for _, l := range items(n.Get("expectLogMessages")) {
		t.Logs = append(t.Logs, Logs{
			Client: text(l, "client"), IgnoreExtra: isTrue(l, "ignoreExtraMessages"),
			List: r.messages(l.Get("messages")), Ignored: r.messages(l.Get("ignoreMessages")),
		})
	}
	for _, s := range items(n.Get("expectTracingMessages")) {
		t.Spans = append(t.Spans, Spans{
			Client: text(s, "client"), IgnoreExtra: isTrue(s, "ignoreExtraSpans"), List: r.spans(s.Get("spans")),
		})
	}
	return t
}

func (r *reader) operation(n *source.Node) Operation {
	return Operation{
		Name: text(n, "name"), Object: text(n, "object"), Arguments: n.Get("arguments"), Line: n.Line,
		Error: r.expectedError(n.Get("expectError")), Result: r.match(n.Get("expectResult")),
		SaveAs: text(n, "saveResultAsEntity"), Anything: isTrue(n, "ignoreResultAndError"),
	}
}

func (r *reader) expectedError(n *source.Node) *Error {
	if n == nil {
		return nil
	}
	e := &Error{
		IsClientError: flag(n, "isClientError"), IsTimeoutError: flag(n, "isTimeoutError"),
		Contains: text(n, "errorContains"), CodeName: text(n, "errorCodeName"),
		LabelsContain: texts(n.Get("errorLabelsContain")), LabelsOmit: texts(n.Get("errorLabelsOmit")),
		WriteErrors: r.match(n.Get("writeErrors")), Response: r.match(n.Get("errorResponse")),
		Result: r.match(n.Get("expectResult")),
	}
	if code := n.Get("errorCode"); code != nil {
		v, err := strconv.ParseFloat(code.Text, 64)
		if err != nil {
			r.add(code, "%s is not an error code", code.Text)
		}
		e.Code = new(int64(v))
	}
	if list := n.Get("writeConcernErrors"); list != nil { // an empty list asserts that there are none
		e.WriteConcernErrors = []*Match{}
		for _, w := range list.Items {
			e.WriteConcernErrors = append(e.WriteConcernErrors, r.match(w))
		}
	}
	return e
}

func (r *reader) events(n *source.Node) Events {
	e := Events{Client: text(n, "client"), Kind: text(n, "eventType"), IgnoreExtra: isTrue(n, "ignoreExtraEvents")}
	if e.Kind == "" {
		e.Kind = "command"
	}
	for _, item := range items(n.Get("events")) {
		e.List = append(e.List, r.event(item))
	}
	return e
}

func (r *reader) event(n *source.Node) Event {
	m := n.Members[0]
	return Event{Name: m.Key, Fields: r.fields(m.Value), Line: m.Line}
}

func (r *reader) messages(n *source.Node) []LogMessage {
	var out []LogMessage
	for _, m := range items(n) {
		out = append(out, LogMessage{
			Level: text(m, "level"), Component: text(m, "component"),
			FailureIsRedacted: flag(m, "failureIsRedacted"), Data: r.match(m.Get("data")),
		})
	}
	return out
}

func (r *reader) spans(n *source.Node) []Span {
	var out []Span
	for _, s := range items(n) {
		out = append(out, Span{Name: text(s, "name"), Attributes: r.match(s.Get("attributes")), Nested: r.spans(s.Get("nested"))})
	}
	return out
}

func (r *reader) fields(n *source.Node) []Field {
	var out []Field
	for _, m := range n.Members {
		out = append(out, Field{Key: m.Key, Match: r.match(m.Value)})
	}
	return out
}

// match reads what a value must look like. An object with one key that starts with two dollars is a special operator.
func (r *reader) match(n *source.Node) *Match {
	if n == nil {
		return nil
	}
	m := &Match{Node: n, Line: n.Line}
	switch n.Kind {
	case source.Array:
		m.Items = []*Match{}
		for _, item := range n.Items {
			m.Items = append(m.Items, r.match(item))
		}
		return m
	case source.Object:
		if len(n.Members) == 1 && strings.HasPrefix(n.Members[0].Key, "$$") {
			return r.operator(m, n.Members[0])
		}
		m.Fields = r.fields(n)
		if m.Fields == nil {
			m.Fields = []Field{}
		}
		return m
	}
	m.Value = n
	return m
}

func (r *reader) operator(m *Match, member source.Member) *Match {
	m.Operator = member.Key
	switch r.format.Operators[member.Key] {
	case "match":
		m.Inner = r.match(member.Value)
	case "value":
		m.Argument = member.Value
	default:
		r.add(member.Value, "no operator is called %s", member.Key)
	}
	return m
}

// ReadEntity reads an entity that an operation creates.
func ReadEntity(n *source.Node) Entity { return entity(n) }

// ReadOperation reads an operation inside another one.
func (f *Format) ReadOperation(n *source.Node) Operation { return (&reader{format: f}).operation(n) }

// ReadEvent reads an event that an operation names.
func (f *Format) ReadEvent(n *source.Node) Event { return (&reader{format: f}).event(n) }
