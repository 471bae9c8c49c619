package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

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
		wire:   a.wire,
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
