package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var aggregateFields = []field{
	{"pipeline", 0, pipeline | required}, {"cursor", 0, anything}, {"explain", 0, flag}, {"allowDiskUse", 0, boolean},
	{"bypassDocumentValidation", 0, boolean}, {"collation", 0, document}, {"hint", 0, hint}, {"comment", 0, text},
	{"let", wire.Server50, document}, {"fromMongos", 0, flag}, {"needsMerge", 0, flag}, {"exchange", 0, document},
	{"runtimeConstants", 0, document}, {"collectionUUID", wire.Server60, uuid}, {"encryptionInformation", wire.Server60, document},
	{"includeQueryStatsMetrics", wire.Server80, boolean},
}

// runningPipeline is a pipeline that runs. It is the source of a cursor.
type runningPipeline struct {
	p      *agg.Pipeline
	in     agg.Source
	follow *follower // replaces in for a change stream
}

func (s *runningPipeline) next() (bson.Raw, error) { return s.in() }

// compilePipeline compiles the command's pipeline and connects it to its collection.
func (e *Engine) compilePipeline(r *Request, a *args, name string, onDatabase bool) (*runningPipeline, error) {
	snap := e.snapshot(r)
	if err := r.checkUUID(snap, a, r.DB, name); err != nil {
		return nil, err
	}
	c := snap.Collection(r.DB, name)
	stages := a.get("pipeline")
	if first, _ := firstStage(stages); first == "$changeStream" && isTimeSeries(c) {
		return nil, checkNotSeries(c)
	}
	if c != nil && c.IsView() {
		if first, _ := firstStage(stages); first == "$changeStream" {
			return nil, checkNotView(c)
		}
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
	if c != nil {
		name = c.Name
	}
	x := &access{e: e, r: r, snap: snap, scope: scope, collection: name, target: c, onDatabase: onDatabase}
	if !onDatabase && c == nil {
		x.missing = true
	}
	p, err := agg.Compile(stages, agg.Options{DB: r.DB, Scope: scope, Access: x, InTransaction: r.Txn != nil, Collection: name})
	if err != nil {
		return nil, err
	}
	if err := p.CheckNamespace(onDatabase); err != nil {
		return nil, err
	}
	if p.Output != nil && r.ReadLevel == "linearizable" {
		return nil, status.Errorf(errcode.InvalidOptions, "%s cannot be used with a 'linearizable' read concern level", p.Output.Stage())
	}
	if x.follows != nil {
		return &runningPipeline{p: p, follow: e.follow(x.follows, p)}, nil
	}
	in := agg.List(nil)
	if !p.SelfMade() {
		if in, err = e.lead(p, c, a.get("hint"), col, scope); err != nil {
			return nil, err
		}
	}
	return &runningPipeline{p: p, in: p.Run(in)}, nil
}

// firstStage returns the name and the specification of a pipeline's first stage.
func firstStage(pipeline bson.RawValue) (name string, spec bson.RawValue) {
	list := value.Elements(pipeline)
	if len(list) == 0 {
		return "", spec
	}
	d, _ := list[0].DocumentOK()
	first, _ := d.Index(0)
	return first.Key, first.Value
}

// lead reads the collection for a pipeline. An index serves a leading $match and the $sort after it.
func (e *Engine) lead(p *agg.Pipeline, c *store.Collection, hint bson.RawValue, col *collate.Collator,
	scope *expr.Scope) (agg.Source, error) {
	q := value.EmptyDocument
	if spec, ok := p.Lead("$match"); ok {
		q = bson.Raw(spec.Value)
	}
	f, err := query.Compile(q, query.Options{Collation: col, Scope: scope, Text: textIndex(c, "")})
	if err != nil {
		return nil, err
	}
	s := &results{limit: -1, meta: scope.Meta}
	var o *order.Order
	if spec, ok := p.Lead("$sort"); ok {
		if o, err = order.ParseMeta(bson.Raw(spec.Value), col, scope.Meta.Of); err != nil {
			return nil, err
		}
	}
	if err := checkMeta(scope.Meta, f, o); err != nil {
		return nil, err
	}
	plan, err := makePlan(c, f, o, hint, 0)
	if err != nil {
		return nil, err
	}
	s.walk, s.sortKey = plan.newMatches(), o
	if !plan.sorted {
		s.order = o
	}
	return s.next, nil
}
