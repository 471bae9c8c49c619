package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// explain answers which index a find, count, distinct, update, delete, findAndModify or aggregate would use. It gives
// queryPlanner with the winning plan, and for the other verbosities the number of documents found; it runs no writes, and
// knows no rejected plans and no times.
func (e *Engine) explain(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse([]field{{"verbosity", 0, text}, {"comment", 0, anything}})
	if err != nil {
		return nil, err
	}
	first, _ := r.Body.Index(0)
	command, ok := first.Value.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "BSON field 'explain.explain' is the wrong type '%s', expected type 'object'", first.Value.Type)
	}
	verbosity := a.text("verbosity")
	switch verbosity {
	case "", "queryPlanner", "executionStats", "allPlansExecution":
	default:
		return nil, status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'explain.verbosity' is not a valid value.", verbosity)
	}
	inner, _ := command.Index(0)
	name, _ := inner.Value.StringOK()
	filter, sort, hint := explained(inner.Key, command)
	if filter == nil {
		return nil, status.Errorf(errcode.CommandNotFound, "Explain failed due to unknown command: %s", inner.Key)
	}
	return e.appendPlan(r, dst, name, filter, sort, hint, command, verbosity == "executionStats" || verbosity == "allPlansExecution" || verbosity == "")
}

// explained finds the query, the sort and the hint of a command; a nil query is an unknown command.
func explained(name string, command bson.Raw) (filter, sort bson.Raw, hint bson.RawValue) {
	key := ""
	sort, _ = command.Lookup("sort").DocumentOK()
	hint = command.Lookup("hint")
	switch name {
	case "find":
		key = "filter"
	case "count", "distinct", "findAndModify", "findandmodify":
		key = "query"
	case "aggregate":
		if list := value.Elements(command.Lookup("pipeline")); len(list) > 0 {
			if d, ok := bson.Raw(list[0].Value).Lookup("$match").DocumentOK(); ok {
				return d, nil, hint
			}
		}
		return value.EmptyDocument, nil, hint
	case "update", "delete":
		if list := value.Elements(command.Lookup(name + "s")); len(list) > 0 {
			d, _ := bson.Raw(list[0].Value).Lookup("q").DocumentOK()
			return orEmpty(d), nil, bson.Raw(list[0].Value).Lookup("hint")
		}
		return value.EmptyDocument, nil, hint
	default:
		return nil, nil, hint
	}
	d, _ := command.Lookup(key).DocumentOK()
	return orEmpty(d), sort, hint
}

func (e *Engine) explainAggregate(r *Request, a *args, name string, dst []byte) ([]byte, error) {
	if _, err := e.pipeline(r, a, name, name == "$cmd.aggregate"); err != nil {
		return nil, err
	}
	filter, sort, hint := explained("aggregate", r.Body)
	return e.appendPlan(r, dst, name, filter, sort, hint, r.Body, false)
}

func (e *Engine) appendPlan(r *Request, dst []byte, name string, filter, sort bson.Raw, hint bson.RawValue, command bson.Raw, stats bool) ([]byte, error) {
	c := e.snapshot(r).Collection(r.DB, name)
	col, err := collation(&args{}, c)
	if err != nil {
		return nil, err
	}
	f, err := query.Compile(filter, query.Options{Collation: col})
	if err != nil {
		return nil, err
	}
	o, natural, err := sortOf(sort, col)
	if err != nil {
		return nil, err
	}
	p, err := makePlan(c, f, o, hint, natural)
	if err != nil {
		return nil, err
	}
	dst = bson.AppendStringElement(dst, "explainVersion", "1")
	dst, planner := bson.AppendDocumentElementStart(dst, "queryPlanner")
	dst = bson.AppendStringElement(dst, "namespace", r.DB+"."+name)
	dst = bson.AppendDocumentElement(dst, "parsedQuery", filter)
	dst, winning := bson.AppendDocumentElementStart(dst, "winningPlan")
	dst = p.append(dst, f)
	dst = bson.AppendDocumentEnd(dst, winning)
	dst = bson.AppendRawValueElement(dst, "rejectedPlans", value.ArrayOf())
	dst = bson.AppendDocumentEnd(dst, planner)
	if stats {
		if dst, err = appendExecution(dst, p); err != nil {
			return nil, err
		}
	}
	dst = bson.AppendDocumentElement(dst, "command", command)
	dst, info := bson.AppendDocumentElementStart(dst, "serverInfo")
	dst = bson.AppendStringElement(dst, "host", "mongotest")
	return bson.AppendDocumentEnd(dst, info), nil
}

func (p *plan) append(dst []byte, f *query.Filter) []byte {
	inner := -1
	if !p.sorted {
		dst = bson.AppendStringElement(dst, "stage", "SORT")
		dst, inner = bson.AppendDocumentElementStart(dst, "inputStage")
	}
	switch {
	case p.c == nil:
		dst = bson.AppendStringElement(dst, "stage", "EOF")
	case p.byID:
		dst = bson.AppendStringElement(dst, "stage", "IDHACK")
	case p.index == nil:
		dst = bson.AppendStringElement(dst, "stage", "COLLSCAN")
		dst = bson.AppendStringElement(dst, "direction", direction(p.back))
	default:
		dst = bson.AppendStringElement(dst, "stage", "FETCH")
		var in int
		dst, in = bson.AppendDocumentElementStart(dst, "inputStage")
		dst = bson.AppendStringElement(dst, "stage", "IXSCAN")
		dst = bson.AppendDocumentElement(dst, "keyPattern", p.index.KeyPattern())
		dst = bson.AppendStringElement(dst, "indexName", p.index.Name)
		dst = bson.AppendBooleanElement(dst, "isMultiKey", p.index.Multikey)
		dst = bson.AppendStringElement(dst, "direction", direction(p.back))
		dst = bson.AppendDocumentEnd(dst, in)
	}
	if f != nil && inner < 0 {
		dst = bson.AppendDocumentElement(dst, "filter", f.Raw())
	}
	if inner >= 0 {
		dst = bson.AppendDocumentEnd(dst, inner)
	}
	return dst
}

func direction(back bool) string {
	if back {
		return "backward"
	}
	return "forward"
}

func appendExecution(dst []byte, p *plan) ([]byte, error) {
	n := int32(0)
	for w := p.matches(); ; n++ {
		rec, err := w.next()
		if err != nil {
			return nil, err
		}
		if rec == nil {
			break
		}
	}
	dst, start := bson.AppendDocumentElementStart(dst, "executionStats")
	dst = bson.AppendBooleanElement(dst, "executionSuccess", true)
	dst = bson.AppendInt32Element(dst, "nReturned", n)
	dst = bson.AppendInt32Element(dst, "executionTimeMillis", 0)
	return bson.AppendDocumentEnd(dst, start), nil
}
