package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// read makes the plan from arguments with the names that find uses.
func (x *explanation) read(a *args) (err error) {
	if x.c != nil && x.c.IsView() {
		return x.readView(a)
	}
	if x.found, err = x.e.compileFind(a, x.c); err != nil {
		return err
	}
	x.filter = documentOrEmpty(a.document("filter"))
	add := func(name, field string, v bson.RawValue) {
		x.above = append(x.above, stage{name, func(dst []byte) []byte { return bson.AppendRawValueElement(dst, field, v) }})
	}
	if x.r.Orphans && x.c != nil {
		x.above = append(x.above, stage{name: "SHARDING_FILTER"})
	}
	if x.found.order != nil {
		x.above = append(x.above, stage{"SORT", func(dst []byte) []byte {
			dst = bson.AppendRawValueElement(dst, "sortPattern", a.get("sort"))
			dst = bson.AppendInt64Element(dst, "memLimit", sortMemory)
			return bson.AppendStringElement(dst, "type", "simple")
		}})
	}
	if n := a.int("skip"); n > 0 {
		add("SKIP", "skipAmount", value.Int64(n))
	}
	if d := a.document("projection"); d.Len() > 0 && !x.isExpress() {
		add(x.projectionStage(d), "transformBy", value.Document(d))
	}
	if n := a.int("limit"); n > 0 {
		add("LIMIT", "limitAmount", value.Int64(n))
	}
	return nil
}

// sortMemory is how much memory a sort may use.
const sortMemory = 100 << 20

// isExpress reports whether the plan is one that servers since 8.0 run without stages: it reads one document by its _id, and
// projects it.
func (x *explanation) isExpress() bool {
	return x.found.walk.plan.byID && x.c != nil && x.r.WireVersion >= wire.Server80
}

// readView plans a find on a view: a plan for its collection, with the view's stages above it.
func (x *explanation) readView(a *args) error {
	c, stages, err := resolve(x.e.snapshot(&x.r), x.c, value.ArrayOf(), 0)
	if err != nil {
		return err
	}
	list := value.Elements(stages)
	if d := a.document("filter"); d.Len() > 0 {
		list = append(list, value.Document(newSingleField("$match", value.Document(d))))
	}
	return x.readPipeline(a, c, list)
}

// readPipeline makes the plan of a pipeline. The plan takes over the first $match and the $sort after it.
func (x *explanation) readPipeline(a *args, c *store.Collection, stages []bson.RawValue) error {
	if x.c = c; c != nil {
		x.name = c.Name
	}
	stages = mergeMatches(stages)
	as := map[string]bson.RawValue{"hint": a.get("hint"), "collation": a.get("collation"), "let": a.get("let")}
	if filter := nearFilter(c, stages); filter != nil {
		as["filter"], stages, x.cursor = value.Document(filter), stages[1:], "$geoNearCursor"
	}
	for _, lead := range [...][2]string{{"$match", "filter"}, {"$sort", "sort"}} {
		if len(stages) == 0 {
			break
		}
		if v := bson.Raw(stages[0].Value).Lookup(lead[0]); !v.IsZero() && x.cursor == "" {
			as[lead[1]], stages = v, stages[1:]
		}
	}
	b := &args{}
	for name, v := range as {
		b.fields, b.values = append(b.fields, field{name: name}), append(b.values, v)
	}
	x.rest = stages
	return x.read(b)
}

// mergeMatches merges a pipeline's leading $match stages into one.
func mergeMatches(stages []bson.RawValue) []bson.RawValue {
	var list []bson.RawValue
	for _, s := range stages {
		v := bson.Raw(s.Value).Lookup("$match")
		if v.IsZero() {
			break
		}
		list = append(list, v)
	}
	if len(list) < 2 {
		return stages
	}
	all := newSingleField("$match", value.Document(newSingleField("$and", value.ArrayOf(list...))))
	return append([]bson.RawValue{value.Document(all)}, stages[len(list):]...)
}

func (x *explanation) find() error {
	a, err := x.r.parse(findFields)
	if err != nil {
		return err
	}
	if err := checkFind(a); err != nil {
		return err
	}
	return x.read(a)
}

func (x *explanation) count() error {
	a, err := x.r.parse(countFields)
	if err != nil {
		return err
	}
	if err := checkCount(a); err != nil {
		return err
	}
	if err := x.read(renameArgs(a, map[string]string{"query": "filter"})); err != nil {
		return err
	}
	if x.c != nil && !x.c.IsView() && !x.r.Orphans && x.filter.Len() == 0 && a.int("skip") == 0 && a.int("limit") == 0 && !a.has("hint") {
		x.above, x.covers, x.counts = nil, true, true // the collection knows the number of its documents
		return nil
	}
	x.above = append(x.above, stage{name: "COUNT"})
	if p := x.found.walk.plan; p.index != nil && len(x.above) == 1 && p.canCountKeys(x.filter) {
		x.covers, x.counts = true, true
	}
	return nil
}

func (x *explanation) distinct() error {
	a, err := x.r.parse(distinctFields)
	if err != nil {
		return err
	}
	if p, err := x.e.findDistinctPlan(a, x.c); err != nil {
		return err
	} else if p != nil && !x.r.Orphans {
		return x.scanDistinct(a, p)
	}
	return x.read(renameArgs(a, map[string]string{"query": "filter"}))
}

func (x *explanation) findAndModify() error {
	x.r.Name = "findAndModify"
	a, err := x.r.parse(findAndModifyFields)
	if err != nil {
		return err
	}
	if err := checkFindAndModify(a); err != nil {
		return err
	}
	name := "UPDATE"
	if a.bool("remove") {
		name = "DELETE"
	}
	return x.planWrite(name, renameArgs(a, map[string]string{"query": "filter"}))
}

func (x *explanation) update() error {
	return x.planStatement("UPDATE", "updates", updateFields, updateStatement)
}

func (x *explanation) delete() error {
	return x.planStatement("DELETE", "deletes", deleteFields, deleteStatement)
}

// planStatement plans an update or delete with one statement.
func (x *explanation) planStatement(name, list string, fields, statement []field) error {
	a, err := x.r.parse(fields)
	if err != nil {
		return err
	}
	statements, err := x.r.readStatements(a, list, statement)
	if err != nil {
		return err
	}
	if len(statements) != 1 {
		return status.Errorf(errcode.InvalidLength, "explained write batches must be of size 1")
	}
	st := renameArgs(statements[0], map[string]string{"q": "filter", "limit": ""})
	st.fields, st.values = append(st.fields, field{name: "let"}), append(st.values, a.get("let"))
	return x.planWrite(name, st)
}

func (x *explanation) planWrite(name string, a *args) error {
	if err := checkNotView(x.c); err != nil {
		return err
	}
	if err := x.read(a); err != nil {
		return err
	}
	x.above = append(x.above, stage{name: name})
	return nil
}

func (x *explanation) aggregate() error {
	a, err := x.r.parse(aggregateFields)
	if err != nil {
		return err
	}
	if !x.r.Body.Lookup("writeConcern").IsZero() && IsWrite(x.r.Body) {
		return status.Errorf(errcode.FailedToParse, "Aggregation explain does not support the 'writeConcern' option")
	}
	return x.planPipeline(a)
}

// planPipeline plans an aggregate. It compiles the pipeline only to find errors.
func (x *explanation) planPipeline(a *args) error {
	if _, err := x.e.compilePipeline(&x.r, a, x.name, x.name == "$cmd.aggregate"); err != nil {
		return err
	}
	stages := a.get("pipeline")
	c := x.c
	if c != nil && c.IsView() {
		var err error
		if c, stages, err = resolve(x.e.snapshot(&x.r), c, stages, 0); err != nil {
			return err
		}
	}
	return x.readPipeline(a, c, value.Elements(stages))
}
