package suite

import (
	"slices"

	"github.com/specdrivers/onion/gen/suite/source"
)

// test returns a case of the unified format. The case first creates its entities.
func (l *legacyFile) test(n *source.Node) *source.Node {
	f := l.object(n)
	defer f.reportUnread()
	at := source.At(n)
	steps := at.List(append(l.start(f), l.sessions(f)...)...)
	for i, op := range f.list("operations") {
		steps.Items = append(steps.Items, l.operation(op, i)...)
	}
	var events, outcome *source.Node
	if list := f.value("expectations"); list != nil {
		at := source.At(list)
		events = at.List(at.Object("client", at.Text(legacyClient), "events", l.rewriteItems(list, l.event)))
	}
	if o := f.value("outcome"); o != nil {
		outcome = source.At(o).List(l.outcome(o))
	}
	return at.Object(
		"description", f.need("description"), "skipReason", f.value("skipReason"), "operations", steps,
		"expectEvents", events, "outcome", outcome,
	)
}

// outcome returns what the collection must hold after the case.
func (l *legacyFile) outcome(n *source.Node) *source.Node {
	f := l.object(n)
	defer f.reportUnread()
	c := l.object(f.need("collection"))
	defer c.reportUnread()
	name, ok := c.strOr("name")
	if !ok {
		name = l.collection
	}
	return l.collectionData(source.At(n), l.database, name, nil, c.need("data"))
}

// start returns the steps that set the fail point and create the entities of a case.
func (l *legacyFile) start(f *fields) []*source.Node {
	var steps []*source.Node
	if point := f.value("failPoint"); point != nil {
		at := source.At(point)
		client := at.Object("client", at.Object("id", at.Text(legacyFailPoint), "useMultipleMongoses", at.Flag(false)))
		steps = append(steps, create(at, client),
			runnerOperation(at, "failPoint", at.Object("client", at.Text(legacyFailPoint), "failPoint", point)))
	}
	at := source.At(f.n)
	many, _ := f.flagOr("useMultipleMongoses")
	uri, encryption := l.clientOptions(f)
	return append(steps, create(at,
		at.Object("client", at.Object(
			"id", at.Text(legacyClient), "useMultipleMongoses", at.Flag(many), "uriOptions", uri,
			"observeEvents", at.List(at.Text("commandStartedEvent")), "autoEncryptOpts", encryption,
		)),
		at.Object("database", at.Object(
			"id", at.Text(legacyDatabase), "client", at.Text(legacyClient), "databaseName", at.Text(l.database))),
		at.Object("collection", at.Object(
			"id", at.Text(legacyCollection), "database", at.Text(legacyDatabase), "collectionName", at.Text(l.collection))),
	))
}

func create(at source.Line, entities ...*source.Node) *source.Node {
	return runnerOperation(at, "createEntities", at.Object("entities", at.List(entities...)))
}

// runnerOperation returns an operation of the test runner.
func runnerOperation(at source.Line, name string, arguments *source.Node) *source.Node {
	return at.Object("name", at.Text(name), "object", at.Text("testRunner"), "arguments", arguments)
}

// clientOptions separates the options of automatic encryption from the options of a connection string.
func (l *legacyFile) clientOptions(f *fields) (uri, encryption *source.Node) {
	n := f.value("clientOptions")
	if n == nil {
		return nil, nil
	}
	rest := *n
	rest.Members = nil
	for _, m := range n.Members {
		if m.Key == "autoEncryptOpts" {
			encryption = l.autoEncryption(m.Value)
			continue
		}
		rest.Members = append(rest.Members, m)
	}
	if len(rest.Members) > 0 {
		uri = &rest
	}
	return uri, encryption
}

// operation returns an operation of the unified format. If it needs a collection of its own, the steps that create the collection
// come first.
func (l *legacyFile) operation(n *source.Node, i int) []*source.Node {
	f := l.object(n)
	defer f.reportUnread()
	at := source.At(n)
	on, ok := f.strOr("object")
	if !ok {
		on = legacyCollection
	}
	steps, object := l.createOwn(f, on, i)
	name := f.str("name")
	arguments := l.arguments(f, on)
	result, fails := l.result(f)
	key := "expectResult"
	if fails {
		key = "expectError"
	}
	return append(steps, at.Object("name", at.Text(name), "object", at.Text(object), "arguments", arguments, key, result))
}

// renamed maps arguments of test runner operations to their different names in the unified format.
var renamed = map[string]string{"database": "databaseName", "collection": "collectionName", "index": "indexName"}

func (l *legacyFile) arguments(f *fields, on string) *source.Node {
	out := source.At(f.n).Object()
	if n := f.value("arguments"); n != nil {
		for _, m := range n.Members {
			switch {
			case on == "testRunner" && renamed[m.Key] != "":
				m.Key = renamed[m.Key]
			case m.Key == "requests":
				m.Value = l.rewriteItems(m.Value, l.model)
			case m.Key == "options" && m.Value.Kind == source.Object:
				out.Members = append(out.Members, m.Value.Members...)
				continue
			}
			out.Members = append(out.Members, m)
		}
	}
	if command := f.value("command_name"); command != nil {
		out.Members = append(out.Members, source.Member{Key: "commandName", Line: command.Line, Value: command})
	}
	return out
}

// model returns a write model.
func (l *legacyFile) model(n *source.Node) *source.Node {
	f := l.object(n)
	defer f.reportUnread()
	return source.At(n).Object(f.str("name"), f.need("arguments"))
}

// expectations are the keys of a result that make it an expected error.
var expectations = []string{"errorContains", "errorCodeName", "errorLabelsContain", "errorLabelsOmit", "isTimeoutError"}

// result returns what an operation must return or, if fails is set, the error that it must fail with.
func (l *legacyFile) result(f *fields) (want *source.Node, fails bool) {
	at := source.At(f.n)
	if failed, _ := f.flagOr("error"); failed {
		want, fails = at.Object("isError", at.Flag(true)), true
	}
	n := f.get("result")
	if n == nil || n.Kind == source.Null {
		return want, fails
	}
	if n.Kind == source.Object &&
		slices.ContainsFunc(n.Members, func(m source.Member) bool { return slices.Contains(expectations, m.Key) }) {
		return n, true
	}
	return n, false
}

// event returns an event of the unified format.
func (l *legacyFile) event(n *source.Node) *source.Node {
	f := l.object(n)
	defer f.reportUnread()
	e := l.object(f.need("command_started_event"))
	defer e.reportUnread()
	at := source.At(n)
	var command *source.Node
	if c := e.value("command"); c != nil {
		copied := *c
		copied.Members = nil
		for _, m := range c.Members {
			m.Value = l.field(m)
			copied.Members = append(copied.Members, m)
		}
		command = &copied
	}
	return at.Object("commandStartedEvent", at.Object(
		"command", command, "commandName", e.value("command_name"), "databaseName", e.value("database_name")))
}

// field returns what a field of a command must match. Legacy Transactions Tests Format, "Command-Started Events".
func (l *legacyFile) field(m source.Member) *source.Node {
	at := source.At(m.Value)
	switch {
	case m.Value.Kind == source.Null:
		return at.Object("$$exists", at.Flag(false))
	case (m.Key == "getMore" || m.Key == "recoveryToken") && is42(m.Value):
		return at.Object("$$exists", at.Flag(true))
	case m.Key == "readConcern" && is42(m.Value.Get("afterClusterTime")):
		return at.Object("level", m.Value.Get("level"), "afterClusterTime", at.Object("$$exists", at.Flag(true)))
	case m.Key == "lsid" && m.Value.Kind == source.String:
		return at.Object("$$sessionLsid", m.Value)
	}
	return m.Value
}
