package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Aggregate runs a pipeline: a slice of stages, such as mongo.Pipeline, []bson.D or bson.A.
func (c *Collection) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) (*Cursor, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	if c.invalid != nil {
		return nil, c.invalid
	}
	return aggregate(ctx, c.db.client, c.db.name, c.name, c.scope, pipeline, merged(opts))
}

func aggregate(ctx context.Context, client *Client, db, collection string, s scope, pipeline any, o *options.Aggregate) (*Cursor, error) {
	if o != nil {
		if err := inOrder(nil, o.Hint); err != nil {
			return nil, err
		}
	}
	stages, err := s.pipeline(pipeline)
	if err != nil {
		return nil, err
	}
	cmd := &command.Aggregate{Collection: collection, Pipeline: stages, Writes: endsInWrite(stages), Options: o}
	op := &exec.Operation{
		Command: cmd, DB: db, ReadConcern: s.readConcern, ReadPreference: s.readPreference, Timeout: s.timeout, Marshal: s.marshal,
		Cursor: true,
	}
	if cmd.Writes {
		op.WriteConcern = s.writeConcern
	}
	settings, err := aggregateSettings(ctx, o, s, cmd.Writes)
	if err != nil {
		return nil, err
	}
	settings.timeout.opening(op)
	out, err := client.run(ctx, op)
	if err != nil {
		return nil, err
	}
	if err := writeConcernError(out); err != nil {
		client.exec.Release(&out)
		return nil, err
	}
	return newCursor(client, db, s.unmarshal, out, settings)
}

func aggregateSettings(ctx context.Context, o *options.Aggregate, s scope, writes bool) (cursorSettings, error) {
	if o == nil {
		o = &options.Aggregate{}
	}
	if writes && o.TimeoutMode != nil && *o.TimeoutMode == options.Iteration {
		return cursorSettings{}, errWritesPerIteration
	}
	timeout, err := newCursorTimeout(ctx, o.Timeout, s.timeout, o.TimeoutMode, nil, o.MaxAwaitTime)
	return cursorSettings{
		batchSize: option.Or(o.BatchSize, 0), comment: o.Comment, maxAwaitTime: option.Or(o.MaxAwaitTime, 0), timeout: timeout,
	}, err
}

// endsInWrite reports whether the last stage writes its result somewhere.
func endsInWrite(stages bson.RawArray) bool {
	var last bson.Raw
	for _, stage := range stages.All() {
		last, _ = stage.DocumentOK()
	}
	switch firstKey(last) {
	case "$out", "$merge":
		return true
	}
	return false
}

// Aggregate runs a pipeline that needs no collection, such as one that begins with $documents or $currentOp.
func (d *Database) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) (*Cursor, error) {
	if err := d.usable(ctx); err != nil {
		return nil, err
	}
	if d.invalid != nil {
		return nil, d.invalid
	}
	return aggregate(ctx, d.client, d.name, "", d.scope, pipeline, merged(opts))
}
