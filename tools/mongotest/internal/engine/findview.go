package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// findView runs a find on a view as the equivalent pipeline.
func (e *Engine) findView(ctx context.Context, r *Request, a *args, view *store.Collection, dst []byte) ([]byte, error) {
	if err := checkOnView(a); err != nil {
		return nil, err
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
	own, _ := documentOrEmpty(view.Options.Document).Lookup("collation").DocumentOK()
	if given := a.document("collation"); given.Len() > 0 {
		mine, err := collate.New(own)
		if err != nil {
			return nil, err
		}
		if theirs, err := collate.New(given); err != nil {
			return nil, err
		} else if !collate.Same(mine, theirs) {
			return nil, status.Errorf(errcode.OptionNotSupportedOnView, "Cannot override a view's default collation")
		}
	}
	b := &args{
		fields: []field{{name: "pipeline"}, {name: "collation"}, {name: "let"}, {name: "hint"}},
		values: []bson.RawValue{value.ArrayOf(stages...), a.get("collation"), a.get("let"), a.get("hint")},
		wire:   a.wire,
		check:  a.check,
	}
	run, err := e.compilePipeline(r, b, view.Name, false)
	if err != nil {
		return nil, err
	}
	batch := int64(-1)
	if a.has("batchSize") {
		batch = a.int("batchSize")
	}
	cur := &cursor{db: r.DB, name: view.Name, lsid: r.LSID, src: run, at: r.ReadTime, check: r.Interrupt}
	return e.openCursor(ctx, dst, cur, batch, a.bool("singleBatch"))
}

// checkOnView refuses find options that have no equivalent in a pipeline.
func checkOnView(a *args) error {
	for _, option := range [...]string{"min", "max", "returnKey", "showRecordId", "tailable", "noCursorTimeout",
		"allowPartialResults", "readOnce"} {
		if v := a.get(option); !value.IsTruthy(v) || v.Type == bsontype.EmbeddedDocument && len(v.Value) <= 5 {
			continue
		}
		if option == "tailable" {
			return status.Errorf(errcode.InvalidPipelineOperator, "Tailable cursors are not supported in aggregation.")
		}
		return status.Errorf(errcode.InvalidPipelineOperator, "Option %s not supported in aggregation.", option)
	}
	if !path.Field(a.document("sort"), "$natural").IsZero() {
		return status.Errorf(errcode.InvalidPipelineOperator, "Sort option $natural not supported in aggregation.")
	}
	if a.bool("singleBatch") && a.int("limit") != 1 {
		return status.Errorf(errcode.InvalidPipelineOperator, "Option singleBatch not supported in aggregation.")
	}
	return nil
}
