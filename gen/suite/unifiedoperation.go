package suite

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// unifiedCase compiles one case.
type unifiedCase struct {
	*unifiedFile
	scope  *scope
	depth  int              // of functions inside the case
	hoist  []*jen.Statement // declarations of variables that an inner function sets for the outer one
	finish []func()         // calls that wait until every use of an entity is known
}

// body prints the statements of a case.
func (u *unifiedCase) body(t unified.Test) []jen.Code {
	ops := u.operations(t.Operations)
	for _, e := range t.Events {
		ops = append(ops, u.events(e))
	}
	for _, l := range t.Logs {
		ops = append(ops, u.logs(l))
	}
	for _, s := range t.Spans {
		ops = append(ops, u.spans(s))
	}
	for _, d := range t.Outcome {
		args := []jen.Code{text(d.Database), text(d.Name)}
		for _, n := range d.Documents {
			args = append(args, u.match(&unified.Match{Node: n}))
		}
		ops = append(ops, jen.Id("r").Dot("Holds").Call(args...))
	}
	for _, f := range u.finish {
		f()
	}
	set := jen.Id(u.name + "SetUp").Call(jen.Id("r"))
	for _, e := range u.fileEntities() {
		if e.uses > 0 {
			set = jen.Id("e").Op(":=").Add(set)
			break
		}
	}
	body := []jen.Code{set}
	for _, h := range u.hoist {
		body = append(body, h)
	}
	return append(body, ops...)
}

// fileEntities returns the entities of the file, with the uses that this case makes of them.
func (u *unifiedCase) fileEntities() []*entity {
	var out []*entity
	for id, e := range u.unifiedFile.scope.entities {
		if mine := u.scope.entities[id]; mine != nil && mine.name == e.name {
			out = append(out, mine)
		}
	}
	return out
}

func (u *unifiedCase) operations(list []unified.Operation) []jen.Code {
	var out []jen.Code
	for _, op := range list {
		out = append(out, u.operation(op, false)...)
	}
	return out
}

// operation prints a step of a case. In the callback of withTransaction an error ends the callback.
func (u *unifiedCase) operation(op unified.Operation, callback bool) []jen.Code {
	at := &source.Node{Line: op.Line}
	if op.Object == "testRunner" {
		return u.runnerOperation(op, at)
	}
	e := u.scope.entities[op.Object]
	if e == nil {
		u.problemf(at, "there is no entity %q", op.Object)
		return nil
	}
	e.uses++
	row := u.catalogue.Operations.Find(e.kind, op.Name)
	if row == nil {
		u.problemf(at, "a %s has no operation %q", e.kind, op.Name)
		return nil
	}
	a := u.arguments(op, at)
	on := jen.Add(e.code)
	if s := a.takeIf("session", inSessions[e.kind]); s != nil {
		on = on.Dot("With").Call(u.use(u.scope, s, "session").code)
	}
	on = u.applyConcerns(on, e.kind, row, a)
	call := u.call(on, row, a)
	call = u.expect(call, op)
	if callback {
		call = jen.Id("tx").Dot("Do").Call(call)
	}
	if op.SaveAs == "" {
		return []jen.Code{call}
	}
	return []jen.Code{u.save(call, row, op.SaveAs, op.Line)}
}

// applyConcerns applies to the entity the concerns among the arguments for which the operation has no option. Unified Test
// Format, "Special Handling for Arguments".
func (u *unifiedCase) applyConcerns(on *jen.Statement, kind string, row *unified.OperationRow, a *arguments) *jen.Statement {
	if kind != "collection" && kind != "database" {
		return on
	}
	own := &source.Node{Kind: source.Object, Line: a.at.Line}
	for _, name := range [...]string{"readConcern", "readPreference", "writeConcern"} {
		if row.Options != "" && u.catalogue.option(row.Options, name) != nil {
			continue
		}
		if n := a.take(name); n != nil {
			own.Members = append(own.Members, source.Member{Key: name, Value: n, Line: n.Line})
		}
	}
	if len(own.Members) == 0 {
		return on
	}
	return on.Dot("Under").Call(u.structValue(own, upperFirst(kind)))
}

// save prints a step with a result that later steps use.
func (u *unifiedCase) save(call *jen.Statement, row *unified.OperationRow, id string, line int) jen.Code {
	kind := row.Saves
	if kind == "" {
		kind = "value"
	}
	switch kind {
	case "value":
		call = call.Dot("Saved").Call()
	case "cursor", "collection":
		call = call.Dot(upperFirst(kind)).Call()
	}
	return u.declareLocal(kind, id, line, call)
}

// declareLocal defines an entity that a variable of the case holds. An unused entity needs no variable.
func (u *unifiedCase) declareLocal(kind, id string, line int, call *jen.Statement) jen.Code {
	e := u.define(u.scope, kind, id, line)
	if e == nil {
		return call
	}
	out := jen.Null()
	var declared *jen.Statement
	if u.depth > 0 {
		declared = jen.Null()
		u.hoist = append(u.hoist, declared)
	}
	u.finish = append(u.finish, func() {
		switch {
		case e.uses == 0:
			*out = *call
		case declared != nil:
			*declared = *jen.Var().Id(e.name).Add(entityType(kind))
			*out = *jen.Id(e.name).Op("=").Add(call)
		default:
			*out = *jen.Id(e.name).Op(":=").Add(call)
		}
	})
	return out
}

// runnerOperation prints an operation of the test runner.
func (u *unifiedCase) runnerOperation(op unified.Operation, at *source.Node) []jen.Code {
	row := u.catalogue.Operations.Find(unified.Runner, op.Name)
	if row == nil {
		u.problemf(at, "the test runner has no operation %q", op.Name)
		return nil
	}
	a := u.arguments(op, at)
	switch op.Name {
	case "createEntities":
		return u.createEntities(a)
	case "loop":
		return u.loop(a)
	}
	on := jen.Id("r")
	if row.Target != "" {
		target := u.use(u.scope, a.need(row.Target), row.Target)
		on = jen.Add(target.code)
		u.narrow = u.narrow || op.Name == "failPoint" && target.anyRouters
	}
	if op.Name == "recordTopologyDescription" {
		id := a.need("id")
		return []jen.Code{u.declareLocal("topologyDescription", id.Text, op.Line, u.call(on, row, a))}
	}
	return []jen.Code{u.call(on, row, a)}
}

// arguments are the arguments of an operation that the compiler has not read yet.
type arguments struct {
	u    *unifiedCase
	at   *source.Node
	rest []source.Member
}

func (u *unifiedCase) arguments(op unified.Operation, at *source.Node) *arguments {
	a := &arguments{u: u, at: at}
	if op.Arguments != nil {
		a.rest = slices.Clone(op.Arguments.Members)
	}
	return a
}

func (a *arguments) take(name string) *source.Node {
	for i, m := range a.rest {
		if m.Key == name {
			a.rest = slices.Delete(a.rest, i, i+1)
			return m.Value
		}
	}
	return nil
}

// takeAny takes the argument that has one of the names.
func (a *arguments) takeAny(names []string) (string, *source.Node) {
	for _, name := range names {
		if n := a.take(name); n != nil {
			return name, n
		}
	}
	return "", nil
}

// takeIf takes an argument that only the operations of some entities have. For the others it stays an unknown argument.
func (a *arguments) takeIf(name string, has bool) *source.Node {
	if !has {
		return nil
	}
	return a.take(name)
}

// inSessions are the kinds of entity whose operations take a session. The operations of withinTimes take a timeout in addition to
// their options.
var (
	inSessions  = map[string]bool{"client": true, "database": true, "collection": true, "bucket": true}
	withinTimes = map[string]bool{"client": true, "database": true, "collection": true, "session": true, "cursor": true}
)

func (a *arguments) need(name string) *source.Node {
	if n := a.take(name); n != nil {
		return n
	}
	a.u.problemf(a.at, "the argument %q is missing", name)
	return &source.Node{Line: a.at.Line}
}

// takeOptions removes the arguments that are fields of a struct, and prints it.
func (a *arguments) takeOptions(name string) (jen.Code, bool) {
	n := &source.Node{Kind: source.Object, Line: a.at.Line}
	a.rest = slices.DeleteFunc(a.rest, func(m source.Member) bool {
		if a.u.catalogue.option(name, m.Key) == nil {
			return false
		}
		n.Members = append(n.Members, m)
		return true
	})
	return a.u.structValue(n, name), len(n.Members) > 0
}

func (a *arguments) reportUnread() {
	for _, m := range a.rest {
		a.u.problemf(&source.Node{Line: m.Line}, "unknown argument %q", m.Key)
	}
}

// call prints the call of an operation.
func (u *unifiedCase) call(on *jen.Statement, row *unified.OperationRow, a *arguments) *jen.Statement {
	for _, name := range row.Ignores {
		a.take(name)
	}
	var args []jen.Code
	for _, p := range row.Params {
		if len(p.Names) == 0 {
			code, there := a.takeOptions(p.Kind)
			if !there {
				code = jen.Nil()
			}
			args = append(args, code)
			continue
		}
		name, n := a.takeAny(p.Names)
		if n == nil {
			if !p.Optional {
				u.problemf(a.at, "the argument %q is missing", p.Names[0])
			}
			args = append(args, absentValue(p.Kind))
			continue
		}
		args = append(args, u.argument(n, name, p.Kind))
	}
	if row.Options != "" {
		if code, there := a.takeOptions(row.Options); there {
			args = append(args, code)
		}
	}
	if ms := a.takeIf("timeoutMS", withinTimes[row.On]); ms != nil { // the driver takes it from the context
		on = on.Dot("Within").Call(jen.Lit(int(u.integer(ms, "timeoutMS"))).Op("*").Qual("time", "Millisecond"))
	}
	a.reportUnread()
	return on.Dot(upperFirst(row.Name)).Call(args...)
}

func absentValue(kind string) jen.Code {
	switch kind {
	case "string":
		return jen.Lit("")
	case "int", "millis":
		return jen.Lit(0)
	}
	return jen.Nil()
}

// argument prints one argument of an operation.
func (u *unifiedCase) argument(n *source.Node, name, kind string) jen.Code {
	switch kind {
	case "value":
		return u.value(n)
	case "document":
		if n.Kind != source.Object || len(n.Members) == 0 || strings.HasPrefix(n.Members[0].Key, "$") {
			u.problemf(n, "is %s where an object is expected", n.Kind)
		}
		return u.value(n)
	case "string":
		return text(u.str(n))
	case "int":
		return jen.Lit(int(u.integer(n, name)))
	case "millis":
		return jen.Lit(int(u.integer(n, name))).Op("*").Qual("time", "Millisecond")
	case "models", "clientModels":
		return u.models(n, kind == "clientModels")
	case "indexes":
		return u.namedModels(n, "IndexModel", "keys", "Index")
	case "searchIndex":
		return u.namedModel(n, true, "SearchIndexModel", "definition", "SearchIndex")
	case "searchIndexes":
		return u.namedModels(n, "SearchIndexModel", "definition", "SearchIndex")
	case "uuid":
		return u.uuid(n)
	case "bytes":
		if len(n.Members) != 1 || !n.Has("$$hexBytes") {
			u.problemf(n, "%q needs $$hexBytes", name)
			return jen.Nil()
		}
		return module(helpers, "Bytes").Call(u.hexBytes(n.Get("$$hexBytes")))
	case "steps":
		return u.printFunction(func() []jen.Code {
			var steps []jen.Code
			for _, i := range n.Items {
				steps = append(steps, u.operation(u.unified.ReadOperation(i), true)...)
			}
			return steps
		}, jen.Id("tx").Op("*").Add(sharedSymbol("Callback")))
	case "step":
		return u.printFunction(func() []jen.Code { return u.operation(u.unified.ReadOperation(n), false) })
	case "event":
		if n.Kind != source.Object || len(n.Members) != 1 || n.Members[0].Value.Kind != source.Object {
			u.problemf(n, "%q needs an object with one event", name)
			return jen.Nil()
		}
		return u.event(u.unified.ReadEvent(n))
	case "topologyType":
		return module("generated/description", typeOf(u.compiler, n, u.catalogue.topologyTypes))
	}
	if entityTypes[kind] != "" {
		return jen.Add(u.use(u.scope, n, kind).code)
	}
	return u.structValue(n, kind)
}

// printFunction prints a function literal.
func (u *unifiedCase) printFunction(body func() []jen.Code, params ...jen.Code) jen.Code {
	u.depth++
	defer func() { u.depth-- }()
	return jen.Func().Params(params...).Block(body()...)
}

// typeOf looks a name up in a table of constants.
func typeOf(c *compiler, n *source.Node, names map[string]string) string {
	name := names[n.Text]
	if name == "" {
		c.problemf(n, "%q is not known", n.Text)
	}
	return name
}
