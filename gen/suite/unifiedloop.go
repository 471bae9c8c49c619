package suite

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// loopStores are the arguments of a loop that name what it stores. The format had loops until version 1.23 of its schema.
var loopStores = []struct{ argument, field, entity string }{
	{"storeErrorsAsEntity", "Errors", "List"},
	{"storeFailuresAsEntity", "Failures", "List"},
	{"storeSuccessesAsEntity", "Successes", "Number"},
	{"storeIterationsAsEntity", "Iterations", "Number"},
}

// loop prints the entities that a loop stores, and the loop.
//
//	iterations := r.Number()
//	r.Loop(unified.Loop{Iterations: iterations}, func() { e.collection0.Find(bson.D{}).Succeeds() })
func (u *unifiedCase) loop(a *arguments) []jen.Code {
	var out, stores []jen.Code
	for _, s := range loopStores {
		if n := a.take(s.argument); n != nil {
			out = append(out, u.declareLocal("value", u.str(n), n.Line, jen.Id("r").Dot(s.entity).Call()))
			stores = append(stores, field(s.field, jen.Add(u.use(u.scope, n, "value").code)))
		}
	}
	args := []jen.Code{sharedSymbol("Loop").Values(stores...)}
	for _, n := range a.need("operations").Items {
		args = append(args, u.printFunction(func() []jen.Code { return u.operation(u.unified.ReadOperation(n), false) }))
	}
	a.reportUnread()
	return append(out, lines(jen.Id("r").Dot("Loop"), args...))
}

// storedEvents are the names of the entities that a client stores its events in. They exist before the client. The
// format had them until version 1.23 of its schema.
func storedEvents(e unified.Entity) []*source.Node {
	var ids []*source.Node
	if list := e.Body.Get("storeEventsAsEntities"); e.Kind == "client" && list != nil {
		for _, n := range list.Items {
			ids = append(ids, n.Get("id"))
		}
	}
	return ids
}

// eventStores prints where a client stores which events.
func (u *unifiedFile) eventStores(s *scope, list *source.Node) []jen.Code {
	if list == nil {
		return nil
	}
	var out []jen.Code
	for _, n := range list.Items {
		var kinds []jen.Code
		for _, k := range n.Get("events").Items {
			kinds = append(kinds, u.eventKind(k, k.Text))
		}
		out = append(out, jen.Values(
			field("Into", jen.Add(u.use(s, n.Get("id"), "value").code)),
			field("Kinds", jen.Index().Add(sharedSymbol("Kind")).Values(kinds...))))
	}
	return out
}
