package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Pipeline is a list of stages.
type Pipeline []bson.D

// pipeline encodes the stages of an aggregation.
func (s scope) pipeline(v any) (bson.RawArray, error) {
	if stages, ok := v.(Pipeline); ok {
		v = []bson.D(stages)
	}
	return encode.Pipeline(s.marshal, v)
}

// Aggregate runs a pipeline: a slice of stages, such as mongo.Pipeline, []bson.D or bson.A.
func (c *Collection) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) (*Cursor, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	return c.aggregate(ctx, pipeline, mergeOptions(opts))
}

func (c *Collection) aggregate(ctx context.Context, pipeline any, o *options.Aggregate) (*Cursor, error) {
	op, cmd := new(exec.Operation), &command.Aggregate{Collection: c.name, Options: o}
	c.prepareRead(op, cmd)
	op.Answer = exec.OpenCursor
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (_ *Cursor, err error) {
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		if cmd.Pipeline, err = c.scope.pipeline(pipeline); err != nil {
			return nil, err
		}
		if cmd.Writes = endsInWrite(cmd.Pipeline); cmd.Writes {
			op.WriteConcern = c.scope.writeConcern
		}
		settings, err := aggregateSettings(ctx, o, c.scope, cmd.Writes)
		if err != nil {
			return nil, err
		}
		settings.timeout.adjustOpening(op)
		out, err := c.run(ctx, op)
		if err != nil {
			return nil, err
		}
		if err := writeConcernError(out); err != nil {
			c.db.client.exec.Release(out)
			return nil, err
		}
		return newCursor(c.db.client, c.db.name, c.scope, out, settings)
	})
}

func aggregateSettings(ctx context.Context, o *options.Aggregate, s scope, writes bool) (cursorSettings, error) {
	if o == nil {
		o = &options.Aggregate{}
	}
	given := cursorOptions{own: o.Timeout, inherited: s.timeout, mode: o.TimeoutMode, maxAwait: o.MaxAwaitTime}
	if writes {
		given.origin = timeout.WritingPipeline
	}
	bounds, err := newCursorTimeout(ctx, given)
	return cursorSettings{
		batchSize: option.Or(o.BatchSize, 0), comment: o.Comment, maxAwaitTime: option.Or(o.MaxAwaitTime, 0), timeout: bounds,
	}, err
}

// endsInWrite reports whether the last stage writes its result somewhere.
func endsInWrite(stages bson.RawArray) bool {
	var last bson.Raw
	for _, stage := range stages.All() {
		last, _ = stage.DocumentOK()
	}
	switch encode.FirstKey(last) {
	case "$out", "$merge":
		return true
	}
	return false
}

// Aggregate runs a pipeline that needs no collection, such as one that begins with $documents or $currentOp.
func (d *Database) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) (*Cursor, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	none := &Collection{db: d, scope: d.scope, invalid: d.invalid}
	return none.aggregate(ctx, pipeline, mergeOptions(opts))
}
