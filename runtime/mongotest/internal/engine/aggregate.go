package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/agg"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/order"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var aggregateFields = []field{
	{"pipeline", 0, array}, {"cursor", 0, document}, {"explain", 0, boolean}, {"allowDiskUse", 0, boolean},
	{"bypassDocumentValidation", 0, boolean}, {"collation", 0, document}, {"hint", 0, either}, {"comment", 0, anything},
	{"let", wire50, document}, {"fromMongos", 0, boolean}, {"needsMerge", 0, boolean}, {"exchange", 0, anything},
	{"collectionUUID", 0, anything}, {"includeQueryStatsMetrics", wire80, boolean},
}

// IsWrite reports an aggregate command that ends in $out or $merge.
func IsWrite(body bson.Raw) bool {
	list := value.Elements(body.Lookup("pipeline"))
	if len(list) == 0 {
		return false
	}
	last, _ := bson.Raw(list[len(list)-1].Value).Index(0)
	return last.Key == "$out" || last.Key == "$merge"
}

// aggregate runs a pipeline on a collection, a view or, with {aggregate: 1}, on nothing. It leaves out allowDiskUse and
// what only mongos sends to shards; explain gives the form of the explain command.
func (e *Engine) aggregate(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name := "$cmd.aggregate"
	first, _ := r.Body.Index(0)
	onDatabase := first.Value.Type != bsontype.String
	if !onDatabase {
		var err error
		if name, err = r.collection(); err != nil {
			return nil, err
		}
	}
	a, err := r.parse(aggregateFields)
	if err != nil {
		return nil, err
	}
	if !a.has("cursor") && !a.bool("explain") {
		return nil, status.Errorf(errcode.FailedToParse, "The 'cursor' option is required, except for aggregate with the explain argument")
	}
	if a.bool("explain") {
		return e.explainAggregate(r, a, name, dst)
	}
	run, err := e.pipeline(r, a, name, onDatabase)
	if err != nil {
		return nil, err
	}
	batch := int64(-1)
	if v := a.document("cursor").Lookup("batchSize"); !v.IsZero() {
		n, ok := v.AsInt64OK()
		if !ok || n < 0 {
			return nil, status.Errorf(51024, "BSON field 'cursor.batchSize' value must be >= 0, actual value '%s'", status.TextOf(v))
		}
		batch = n
	}
	cur := &cursor{db: r.DB, name: name, lsid: r.LSID, src: run, inTxn: r.Txn != nil}
	if out := run.p.Output; out != nil {
		if err := e.output(ctx, r, a, out, run.in); err != nil {
			return nil, err
		}
		cur.src = &documents{}
	}
	return e.first(ctx, dst, cur, batch, false)
}

// running is a pipeline at work, as the source of a cursor.
type running struct {
	p  *agg.Pipeline
	in agg.Source
}

func (s *running) next() (bson.Raw, error) { return s.in() }

// pipeline compiles the command's pipeline and connects it to its collection.
func (e *Engine) pipeline(r *Request, a *args, name string, onDatabase bool) (*running, error) {
	snap := e.snapshot(r)
	c := snap.Collection(r.DB, name)
	stages := a.get("pipeline")
	if stages.IsZero() {
		return nil, status.Errorf(40414, "BSON field 'aggregate.pipeline' is missing but a required field")
	}
	if c != nil && c.IsView() {
		var err error
		if c, stages, err = resolve(snap, c, stages, 0); err != nil {
			return nil, err
		}
	}
	col, err := collation(a, c)
	if err != nil {
		return nil, err
	}
	scope, err := e.scope(a, col)
	if err != nil {
		return nil, err
	}
	x := &access{e: e, r: r, snap: snap, scope: scope, collection: name}
	if !onDatabase && c == nil {
		x.missing = true
	}
	p, err := agg.Compile(stages, agg.Options{DB: r.DB, Scope: scope, Access: x})
	if err != nil {
		return nil, err
	}
	if onDatabase && !p.SelfMade() {
		return nil, status.Errorf(errcode.InvalidNamespace, "{aggregate: 1} is not valid for '%s'; a collection is required.", firstStage(p))
	}
	in := agg.List(nil)
	if !p.SelfMade() {
		if in, err = e.lead(p, c, a.get("hint"), col, scope); err != nil {
			return nil, err
		}
	}
	return &running{p, p.Run(in)}, nil
}

func firstStage(p *agg.Pipeline) string {
	if s := p.First(); s != "" {
		return s
	}
	return "empty pipeline"
}

// lead reads the collection for a pipeline. A $match at the front, and a $sort after it, are done with an index.
func (e *Engine) lead(p *agg.Pipeline, c *store.Collection, hint bson.RawValue, col *collate.Collator, scope *expr.Scope) (agg.Source, error) {
	q := value.EmptyDocument
	if spec, ok := p.Lead("$match"); ok {
		q = bson.Raw(spec.Value)
	}
	f, err := query.Compile(q, query.Options{Collation: col, Scope: scope})
	if err != nil {
		return nil, err
	}
	s := &results{limit: -1}
	var o *order.Order
	if spec, ok := p.Lead("$sort"); ok {
		if o, err = order.Parse(bson.Raw(spec.Value), col); err != nil {
			return nil, err
		}
	}
	plan, err := makePlan(c, f, o, hint, 0)
	if err != nil {
		return nil, err
	}
	s.walk = plan.matches()
	if !plan.sorted {
		s.order = o
	}
	return s.next, nil
}

// resolve follows views down to their collection; the pipelines of the views come first.
func resolve(snap *store.Snapshot, view *store.Collection, stages bson.RawValue, depth int) (*store.Collection, bson.RawValue, error) {
	if depth > 20 {
		return nil, stages, status.Errorf(errcode.ViewDepthLimitExceeded, "View depth too deep or view cycle detected; maximum depth is 20")
	}
	all := append(value.Elements(value.Array(view.Options.Pipeline)), value.Elements(stages)...)
	stages = value.ArrayOf(all...)
	c := snap.Collection(view.DB, view.Options.ViewOn)
	if c != nil && c.IsView() {
		return resolve(snap, c, stages, depth+1)
	}
	return c, stages, nil
}

// findView answers a find on a view by the pipeline that does the same.
func (e *Engine) findView(ctx context.Context, r *Request, a *args, view *store.Collection, dst []byte) ([]byte, error) {
	for _, option := range [...]string{"tailable", "awaitData"} {
		if a.bool(option) {
			return nil, status.Errorf(errcode.InvalidPipelineOperator, "Option %s not supported on view", option)
		}
	}
	var stages []bson.RawValue
	stage := func(name string, v bson.RawValue) {
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendRawValueElement(d, name, v)
		stages = append(stages, value.Document(bson.AppendDocumentEnd(d, start)))
	}
	if v := a.get("filter"); !v.IsZero() {
		stage("$match", v)
	}
	if v := a.document("sort"); len(v) > 5 {
		stage("$sort", value.Document(v))
	}
	if n := a.int("skip"); n > 0 {
		stage("$skip", value.Int64(n))
	}
	if n := a.int("limit"); n > 0 {
		stage("$limit", value.Int64(n))
	}
	if v := a.document("projection"); len(v) > 5 {
		stage("$project", value.Document(v))
	}
	b := &args{
		fields: []field{{name: "pipeline"}, {name: "collation"}, {name: "let"}, {name: "hint"}},
		values: []bson.RawValue{value.ArrayOf(stages...), a.get("collation"), a.get("let"), a.get("hint")},
	}
	run, err := e.pipeline(r, b, view.Name, false)
	if err != nil {
		return nil, err
	}
	batch := int64(-1)
	if a.has("batchSize") {
		batch = a.int("batchSize")
	}
	cur := &cursor{db: r.DB, name: view.Name, lsid: r.LSID, src: run}
	return e.first(ctx, dst, cur, batch, a.bool("singleBatch"))
}

// output writes what the pipeline yields, by $out or $merge.
func (e *Engine) output(ctx context.Context, r *Request, a *args, out *agg.Output, in agg.Source) error {
	if r.Txn != nil {
		return status.Errorf(errcode.OperationNotSupportedInTransaction, "$out and $merge cannot be used in a transaction")
	}
	docs, err := agg.Drain(in)
	if err != nil {
		return err
	}
	if err := checkName(out.DB, out.Name); err != nil {
		return err
	}
	return e.write(ctx, r, func(tx *store.Txn) error {
		if c := tx.Collection(out.DB, out.Name); c != nil && !out.Merge {
			if c.Options.Capped {
				return status.Errorf(17152, "namespace '%s' is capped so it can't be used for $out", c.Namespace())
			}
		}
		c, err := e.ensure(tx, out.DB, out.Name)
		if err != nil {
			return err
		}
		v, err := validatorOf(c, r, a)
		if err != nil {
			return err
		}
		if out.Merge {
			return e.merge(tx, r, c, v, out, docs)
		}
		return replaceAll(tx, r, c, v, docs)
	})
}

// replaceAll is $out: the collection keeps its options and indexes, and has the new documents alone.
func replaceAll(tx *store.Txn, r *Request, c *store.Collection, v *validator, docs []bson.Raw) error {
	old := tx.Snapshot().Collection(c.DB, c.Name).Scan(0)
	for rec := old.Next(); rec != nil; rec = old.Next() {
		if err := tx.Delete(c.DB, c.Name, rec); err != nil {
			return err
		}
	}
	for _, d := range docs {
		if err := insertOne(tx, r, c, v, d); err != nil {
			return err
		}
	}
	return nil
}

// merge is $merge.
func (e *Engine) merge(tx *store.Txn, r *Request, c *store.Collection, v *validator, out *agg.Output, docs []bson.Raw) error {
	if err := mergeKey(c, out.On); err != nil {
		return err
	}
	for _, d := range docs {
		prepared, err := prepare(d, r.WireVersion, tx.Time().BSON())
		if err != nil {
			return err
		}
		rec, err := findOn(tx.Snapshot().Collection(c.DB, c.Name), out.On, prepared)
		if err != nil {
			return err
		}
		if rec == nil {
			switch out.Unmatched {
			case "fail":
				return status.Errorf(13113, "$merge could not find a matching document in the target collection for at least one document in the source collection")
			case "insert":
				if err := insertOne(tx, r, c, v, prepared); err != nil {
					return err
				}
			}
			continue
		}
		after, err := out.Combine(rec.Doc, prepared)
		if err != nil {
			return err
		}
		if after == nil || string(after) == string(rec.Doc) {
			continue
		}
		if after, err = keepID(rec.Doc, after, false); err != nil {
			return err
		}
		if err := v.check(rec.Doc, after); err != nil {
			return err
		}
		if err := tx.Replace(c.DB, c.Name, rec, after, out.Matched == "replace"); err != nil {
			return err
		}
	}
	return nil
}

// mergeKey checks that a unique index has the fields of $merge's on.
func mergeKey(c *store.Collection, on []string) error {
	for _, x := range c.Indexes() {
		if (!x.Unique && x.Name != "_id_") || len(x.Fields) != len(on) || x.Partial != nil {
			continue
		}
		n := 0
		for _, f := range x.Fields {
			for _, name := range on {
				if f.Name == name {
					n++
				}
			}
		}
		if n == len(on) {
			return nil
		}
	}
	return status.Errorf(51183, "Cannot find index to verify that join fields will be unique")
}

// findOn finds the document that has the same values in some fields.
func findOn(c *store.Collection, on []string, doc bson.Raw) (*store.Record, error) {
	q, start := bson.AppendDocumentStart(nil)
	for _, name := range on {
		v := path.Parse(name).Lookup(doc)
		if v.IsZero() {
			v = value.Null
		}
		q = bson.AppendRawValueElement(q, name, v)
	}
	f, err := query.Compile(bson.AppendDocumentEnd(q, start), query.Options{})
	if err != nil {
		return nil, err
	}
	p, err := makePlan(c, f, nil, bson.RawValue{}, 0)
	if err != nil {
		return nil, err
	}
	return p.matches().next()
}
