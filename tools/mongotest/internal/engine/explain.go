// The command explain: shows how a find, count, distinct, aggregate, update, delete or findAndModify finds its
// documents. Unless the verbosity is queryPlanner, it also counts the documents examined and returned. It writes
// nothing.
//
// Left out: rejected plans, times and memory.

package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var explainFields = []field{{"verbosity", 0, text}, {"comment", 0, anything}}

// explain makes the handler of explain. It needs the other commands, to tell a command that cannot be explained from an unknown one.
func explain(commands map[string]Handler) Handler {
	return func(e *Engine, _ context.Context, r *Request, dst []byte) ([]byte, error) {
		return e.explain(r, commands, dst)
	}
}

func (e *Engine) explain(r *Request, commands map[string]Handler, dst []byte) ([]byte, error) {
	a, err := r.parse(explainFields)
	if err != nil {
		return nil, err
	}
	first, _ := r.Body.Index(0)
	command, ok := first.Value.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch,
			"BSON field 'explain.explain' is the wrong type '%s', expected type 'object'", first.Value.Type)
	}
	if err := checkChoice("explain", a, "verbosity", "queryPlanner", "executionStats", "allPlansExecution"); err != nil {
		return nil, err
	}
	x := &explanation{e: e, commands: commands, command: command, verbosity: a.text("verbosity")}
	x.r = *r
	x.r.Body, x.r.Sequences = command, nil
	return x.run(dst)
}

func (x *explanation) run(dst []byte) ([]byte, error) {
	inner, _ := x.command.Index(0)
	x.r.Name = inner.Key
	build := map[string]func(*explanation) error{
		"find": (*explanation).find, "count": (*explanation).count, "distinct": (*explanation).distinct,
		"aggregate": (*explanation).aggregate, "update": (*explanation).update, "delete": (*explanation).delete,
		"findAndModify": (*explanation).findAndModify, "findandmodify": (*explanation).findAndModify,
	}[inner.Key]
	if build == nil {
		if x.commands[inner.Key] != nil {
			return nil, status.Errorf(errcode.IllegalOperation, "Cannot explain cmd: %s", inner.Key)
		}
		return nil, status.Errorf(errcode.CommandNotFound, "Explain failed due to unknown command: %s", inner.Key)
	}
	var err error
	if s, isText := inner.Value.StringOK(); isText || inner.Key != "aggregate" {
		if x.name, err = x.r.collection(); err != nil {
			return nil, err
		}
		x.c = x.e.snapshot(&x.r).Collection(x.r.DB, s)
	} else {
		x.name = "$cmd.aggregate"
	}
	if err := build(x); err != nil {
		return nil, err
	}
	return x.append(dst)
}

// append appends the plan. If the pipeline has more stages, the plan goes into its first stage.
func (x *explanation) append(dst []byte) ([]byte, error) {
	dst = bson.AppendStringElement(dst, "explainVersion", "1")
	var err error
	if len(x.rest) == 0 && x.cursor == "" {
		dst, err = x.appendPlan(dst)
	} else {
		dst, err = x.appendStages(dst)
	}
	if err != nil {
		return nil, err
	}
	command := x.command
	if command.Lookup("$db").IsZero() {
		command = setField(command, "$db", value.String(x.r.DB))
	}
	dst = bson.AppendDocumentElement(dst, "command", command)
	dst, info := bson.AppendDocumentElementStart(dst, "serverInfo")
	dst = bson.AppendStringElement(dst, "host", "mongotest")
	dst = bson.AppendInt32Element(dst, "port", 27017)
	dst = bson.AppendStringElement(dst, "version", wire.VersionFor(x.r.WireVersion)+".0")
	dst = bson.AppendStringElement(dst, "gitVersion", "mongotest")
	return bson.AppendDocumentEnd(dst, info), nil
}

func (x *explanation) appendStages(dst []byte) ([]byte, error) {
	dst, list := bson.AppendArrayElementStart(dst, "stages")
	first, start := bson.AppendDocumentStart(nil)
	first, cursor := bson.AppendDocumentElementStart(first, cmp.Or(x.cursor, "$cursor"))
	first, err := x.appendPlan(first)
	if err != nil {
		return nil, err
	}
	dst = value.AppendIndexed(dst, 0, value.Document(bson.AppendDocumentEnd(bson.AppendDocumentEnd(first, cursor), start)))
	for i, s := range x.rest {
		dst = value.AppendIndexed(dst, i+1, s)
	}
	return bson.AppendDocumentEnd(dst, list), nil
}

func (x *explanation) appendPlan(dst []byte) ([]byte, error) {
	dst, planner := bson.AppendDocumentElementStart(dst, "queryPlanner")
	if x.r.WireVersion < wire.Server50 {
		dst = bson.AppendInt32Element(dst, "plannerVersion", 1)
	}
	dst = bson.AppendStringElement(dst, "namespace", x.r.DB+"."+x.name)
	dst = bson.AppendBooleanElement(dst, "indexFilterSet", false)
	dst = bson.AppendDocumentElement(dst, "parsedQuery", joinConditions(listConditions(documentOrEmpty(x.filter))))
	dst = x.appendPlanning(dst)
	dst, winning := bson.AppendDocumentElementStart(dst, "winningPlan")
	if x.r.WireVersion >= wire.Server80 {
		dst = bson.AppendBooleanElement(dst, "isCached", false)
	}
	dst = x.appendAbove(dst, len(x.above), nil)
	dst = bson.AppendDocumentEnd(dst, winning)
	dst = bson.AppendRawValueElement(dst, "rejectedPlans", value.ArrayOf())
	dst = bson.AppendDocumentEnd(dst, planner)
	if x.verbosity == "queryPlanner" {
		return dst, nil
	}
	return x.appendExecution(dst)
}

// appendAbove appends the top n stages above the plan, with the plan inside them. Each stage shows what it counted, if
// the plan was run.
func (x *explanation) appendAbove(dst []byte, n int, ran *counters) []byte {
	if n == 0 {
		return x.appendAccess(dst, ran)
	}
	s := x.above[n-1]
	dst = bson.AppendStringElement(dst, "stage", s.name)
	if ran != nil {
		dst = ran.append(dst, s.name)
	}
	if s.details != nil {
		dst = s.details(dst)
	}
	dst, in := bson.AppendDocumentElementStart(dst, "inputStage")
	return bson.AppendDocumentEnd(x.appendAbove(dst, n-1, ran), in)
}

// appendAccess appends the stage that reads the collection.
func (x *explanation) appendAccess(dst []byte, ran *counters) []byte {
	p := x.found.walk.plan
	begin := func(dst []byte, name string) []byte {
		dst = bson.AppendStringElement(dst, "stage", name)
		if ran != nil {
			dst = ran.append(dst, name)
		}
		return dst
	}
	clustered := isClustered(x.c)
	switch {
	case x.c == nil:
		return begin(dst, "EOF")
	case x.counts && p.index != nil:
		return p.appendCountScan(begin(dst, "COUNT_SCAN"))
	case x.counts:
		return begin(dst, "RECORD_STORE_FAST_COUNT")
	case x.skips:
		return p.appendIndex(begin(dst, "DISTINCT_SCAN"))
	case p.byID && x.r.WireVersion >= wire.Server80 && clustered:
		return begin(dst, "EXPRESS_CLUSTERED_IXSCAN")
	case p.byID && x.r.WireVersion >= wire.Server80:
		dst = begin(dst, "EXPRESS_IXSCAN")
		dst = bson.AppendStringElement(dst, "keyPattern", "{ _id: 1 }")
		return bson.AppendStringElement(dst, "indexName", idName)
	case p.byID:
		return begin(dst, "IDHACK")
	case p.near != nil:
		dst = begin(dst, "GEO_NEAR_"+strings.ToUpper(kindOfIndex(p.hinted)))
		dst = bson.AppendDocumentElement(dst, "keyPattern", p.hinted.KeyPattern())
		dst = bson.AppendStringElement(dst, "indexName", p.hinted.Name)
		return bson.AppendInt32Element(dst, "indexVersion", 2)
	case p.text != nil:
		return x.appendText(dst, begin)
	case p.branches != nil:
		return x.appendBranches(dst, begin)
	case p.shapes != nil:
		return x.appendShapes(dst, begin)
	case p.index == nil:
		dst = begin(dst, "COLLSCAN")
		dst = x.appendFilter(dst)
		return bson.AppendStringElement(dst, "direction", direction(p.back))
	}
	if clustered && p.index.Name == idName {
		return x.appendClustered(dst, begin)
	}
	if x.covers {
		keys, _ := p.residualFilter(x.filter)
		return x.appendIndex(appendTested(begin(dst, "IXSCAN"), keys))
	}
	keys, docs := p.residualFilter(x.filter)
	dst = appendTested(begin(dst, "FETCH"), docs)
	dst, in := bson.AppendDocumentElementStart(dst, "inputStage")
	dst = x.appendIndex(appendTested(begin(dst, "IXSCAN"), keys))
	return bson.AppendDocumentEnd(dst, in)
}

// appendExecution runs the plan and counts.
func (x *explanation) appendExecution(dst []byte) ([]byte, error) {
	returned, docs, keys, err := x.examine()
	if err != nil {
		return nil, err
	}
	dst, start := bson.AppendDocumentElementStart(dst, "executionStats")
	ran := &counters{returned: returned, docs: docs, keys: keys, modifies: x.r.Name == "findAndModify"}
	dst = bson.AppendBooleanElement(dst, "executionSuccess", true)
	if n := len(x.above); n > 0 {
		returned = ran.passedOn(x.above[n-1].name) // a count, an update or a delete returns no document
	}
	dst = bson.AppendInt32Element(dst, "nReturned", returned)
	dst = bson.AppendInt32Element(dst, "executionTimeMillis", 0)
	dst = bson.AppendInt32Element(dst, "totalKeysExamined", keys)
	dst = bson.AppendInt32Element(dst, "totalDocsExamined", docs)
	dst, stages := bson.AppendDocumentElementStart(dst, "executionStages")
	dst = x.appendAbove(dst, len(x.above), ran)
	dst = bson.AppendDocumentEnd(dst, stages)
	if x.verbosity != "executionStats" {
		dst = bson.AppendRawValueElement(dst, "allPlansExecution", value.ArrayOf())
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// examine runs the plan and counts the documents that it returns and reads, and the keys that it reads.
func (x *explanation) examine() (returned, docs, keys int32, err error) {
	if x.skips {
		if x.found.walk.plan.index.Collation != nil {
			docs = x.values
		}
		return x.values, docs, x.values, nil
	}
	x.found.walk.explains = true
	for ; x.c != nil; returned++ {
		if d, err := x.found.next(); err != nil {
			return 0, 0, 0, err
		} else if d == nil {
			break
		}
	}
	docs = x.found.walk.examined
	if p := x.found.walk.plan; p.index != nil || p.byID || p.shapes != nil {
		keys = docs
	}
	if x.covers {
		docs = 0
	}
	return returned, docs, keys, nil
}

// explainAggregate runs aggregate with explain: true, which answers like explain with verbosity queryPlanner.
func (e *Engine) explainAggregate(r *Request, a *args, name string, dst []byte) ([]byte, error) {
	x := &explanation{e: e, r: *r, command: r.Body, verbosity: "queryPlanner", name: name}
	x.c = e.snapshot(r).Collection(r.DB, name)
	if err := x.planPipeline(a); err != nil {
		return nil, err
	}
	return x.append(dst)
}
