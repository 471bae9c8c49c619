package suite

import (
	"encoding/hex"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// expect prints the expected outcome of a step.
func (u *unifiedCase) expect(call *jen.Statement, op unified.Operation) *jen.Statement {
	switch {
	case op.Anything:
		return call.Dot("Ignored").Call()
	case op.Error != nil:
		return call.Dot("Fails").Call(u.expectedError(op.Error))
	case op.Result != nil:
		return call.Dot("Returns").Call(u.match(op.Result))
	}
	return call.Dot("Succeeds").Call()
}

// match prints what a value must look like. Unified Test Format, "Evaluating Matches".
func (u *unifiedCase) match(m *unified.Match) jen.Code {
	l := literals{}
	l.operator = func(n *source.Node) (jen.Code, bool) { return u.operator(l, n), true }
	code, ok := l.value(m.Node)
	if !ok {
		u.problemf(m.Node, "is not extended JSON")
		return jen.Nil()
	}
	return code
}

// operator prints a special operator. Unified Test Format, "Special Operators for Matching Assertions".
func (u *unifiedCase) operator(l literals, n *source.Node) jen.Code {
	key, v := n.Members[0].Key, n.Members[0].Value
	l.operator = func(n *source.Node) (jen.Code, bool) { return u.operator(l, n), true }
	inner := func(name string) jen.Code {
		code, ok := l.value(v)
		if !ok {
			u.problemf(v, "is not extended JSON")
			code = jen.Nil()
		}
		return sharedSymbol(name).Call(code)
	}
	switch key {
	case "$$exists":
		return sharedSymbol("Exists").Call(jen.Lit(u.boolean(v)))
	case "$$type":
		items := []*source.Node{v}
		if v.Kind == source.Array {
			items = v.Items
		}
		var names []jen.Code
		for _, i := range items {
			if i.Kind == source.Number {
				names = append(names, text(i.Text))
				continue
			}
			names = append(names, text(u.str(i)))
		}
		return sharedSymbol("Type").Call(names...)
	case "$$matchesEntity":
		return sharedSymbol("Equals").Call(u.use(u.scope, v, "value").code)
	case "$$matchesHexBytes":
		return sharedSymbol("HexBytes").Call(u.hexBytes(v))
	case "$$sessionLsid":
		return sharedSymbol("LsidOf").Call(u.use(u.scope, v, "session").code)
	case "$$lte":
		return inner("AtMost")
	case "$$unsetOrMatches":
		return inner("UnsetOr")
	case "$$matchAsDocument":
		return inner("AsDocument")
	case "$$matchAsRoot":
		return inner("AsRoot")
	}
	u.problemf(n, "no operator is called %s", key)
	return jen.Nil()
}

// hexBytes prints bytes as pairs of hexadecimal digits.
func (u *unifiedCase) hexBytes(n *source.Node) jen.Code {
	digits := u.str(n)
	if _, err := hex.DecodeString(digits); err != nil {
		u.problemf(n, "%q are not bytes: %v", digits, err)
	}
	return text(digits)
}

// expectedError prints what an error must be.
func (u *unifiedCase) expectedError(e *unified.Error) jen.Code {
	var values []jen.Code
	add := func(name string, code jen.Code) { values = append(values, field(name, code)) }
	if e.IsClientError != nil {
		add("IsClientError", jen.New(jen.Lit(*e.IsClientError)))
	}
	if e.IsTimeoutError != nil {
		add("IsTimeoutError", jen.New(jen.Lit(*e.IsTimeoutError)))
	}
	if e.Contains != "" {
		add("Contains", text(e.Contains))
	}
	if e.Code != nil {
		add("Code", jen.New(jen.Id(strconv.FormatInt(*e.Code, 10))))
	}
	if e.CodeName != "" {
		add("CodeName", text(e.CodeName))
	}
	for _, labels := range []struct {
		name string
		list []string
	}{{"LabelsContain", e.LabelsContain}, {"LabelsOmit", e.LabelsOmit}} {
		if len(labels.list) > 0 {
			var names []jen.Code
			for _, l := range labels.list {
				names = append(names, text(l))
			}
			add(labels.name, jen.Index().String().Values(names...))
		}
	}
	for _, m := range []struct {
		name  string
		match *unified.Match
	}{{"WriteErrors", e.WriteErrors}, {"Response", e.Response}, {"Result", e.Result}} {
		if m.match != nil {
			add(m.name, u.match(m.match))
		}
	}
	if e.WriteConcernErrors != nil {
		var items []jen.Code
		for _, w := range e.WriteConcernErrors {
			items = append(items, u.match(w))
		}
		add("WriteConcernErrors", jen.Index().Any().Values(items...))
	}
	return sharedSymbol("Error").Values(values...)
}

// events prints the events that a client must have published.
func (u *unifiedCase) events(e unified.Events) jen.Code {
	client := u.use(u.scope, &source.Node{Kind: source.String, Text: e.Client}, "client")
	method := "Publishes"
	if e.IgnoreExtra {
		method = "PublishesFirst"
	}
	families := map[string]string{"command": "Commands", "cmap": "PoolEvents", "sdam": "ServerEvents"}
	args := []jen.Code{sharedSymbol(families[e.Kind])}
	for _, event := range e.List {
		args = append(args, u.event(event))
	}
	if len(args) == 1 {
		return jen.Add(client.code).Dot(method).Call(args...)
	}
	return lines(jen.Add(client.code).Dot(method), args...)
}

// event prints an event and what its fields must be.
func (u *unifiedCase) event(e unified.Event) jen.Code {
	values := []jen.Code{field("Kind", u.eventKind(&source.Node{Line: e.Line}, e.Name))}
	for _, f := range e.Fields {
		n := f.Match.Node
		switch f.Key {
		case "command", "reply":
			match := u.match(f.Match)
			if u.loose {
				match = sharedSymbol("Subset").Call(match)
			}
			values = append(values, field(upperFirst(f.Key), match))
		case "commandName", "databaseName", "reason":
			values = append(values, field(upperFirst(f.Key), text(u.str(n))))
		case "hasServiceId", "hasServerConnectionId", "interruptInUseConnections", "awaited":
			values = append(values, field(goFieldName(f.Key), jen.New(jen.Lit(u.boolean(n)))))
		case "previousDescription", "newDescription":
			if kind := n.Get("type"); kind != nil {
				values = append(values, field(upperFirst(f.Key), text(u.str(kind))))
			}
		default:
			u.problemf(n, "an event has no field %q", f.Key)
		}
	}
	return sharedSymbol("Event").Values(values...)
}

func goFieldName(key string) string {
	name := upperFirst(key)
	if len(name) > 2 && name[len(name)-2:] == "Id" {
		return name[:len(name)-2] + "ID"
	}
	return name
}

// logs prints the log messages that a client must have written.
func (u *unifiedCase) logs(l unified.Logs) jen.Code {
	client := u.use(u.scope, &source.Node{Kind: source.String, Text: l.Client}, "client")
	var values []jen.Code
	if l.IgnoreExtra {
		values = append(values, field("IgnoreExtra", jen.True()))
	}
	if len(l.Ignored) > 0 {
		values = append(values, field("Ignored", elementPerLine(jen.Index().Add(sharedSymbol("Log")), u.messages(l.Ignored))))
	}
	values = append(values, field("Messages", elementPerLine(jen.Index().Add(sharedSymbol("Log")), u.messages(l.List))))
	return jen.Add(client.code).Dot("Logs").Call(sharedSymbol("Logs").Values(values...))
}

func (u *unifiedCase) messages(list []unified.LogMessage) []jen.Code {
	var out []jen.Code
	for _, m := range list {
		values := []jen.Code{field("Level", text(m.Level)), field("Component", text(m.Component))}
		if m.FailureIsRedacted != nil {
			values = append(values, field("FailureIsRedacted", jen.New(jen.Lit(*m.FailureIsRedacted))))
		}
		out = append(out, jen.Values(append(values, field("Data", u.match(m.Data)))...))
	}
	return out
}

// spans prints the spans that a client must have made.
func (u *unifiedCase) spans(s unified.Spans) jen.Code {
	client := u.use(u.scope, &source.Node{Kind: source.String, Text: s.Client}, "client")
	method := "Traces"
	if s.IgnoreExtra {
		method = "TracesAmongOthers"
	}
	return lines(jen.Add(client.code).Dot(method), u.spanList(s.List, true)...)
}

func (u *unifiedCase) spanList(list []unified.Span, typed bool) []jen.Code {
	var out []jen.Code
	for _, s := range list {
		values := []jen.Code{field("Name", text(s.Name)), field("Attributes", u.match(s.Attributes))}
		if len(s.Nested) > 0 {
			values = append(values, field("Nested", elementPerLine(jen.Index().Add(sharedSymbol("Span")), u.spanList(s.Nested, false))))
		}
		if typed {
			out = append(out, sharedSymbol("Span").Values(values...))
		} else {
			out = append(out, jen.Values(values...))
		}
	}
	return out
}
