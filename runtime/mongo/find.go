package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Find finds the documents that match a filter; bson.D{} matches all. The caller must read the cursor to its end or
// close it.
func (c *Collection) Find(ctx context.Context, filter any, opts ...*options.Find) (*Cursor, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	calls := &c.db.client.calls.find
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.Find{Collection: c.name, Options: o}
	c.prepareRead(&call.op, &call.cmd)
	return runInSpan(ctx, c.db.client, &call.op, func(ctx context.Context) (*Cursor, error) {
		if o != nil {
			if err := encode.CheckOrder(o.Sort, o.Hint, o.Min, o.Max); err != nil {
				return nil, err
			}
		}
		settings, err := findSettings(ctx, o, c.scope)
		if err != nil {
			return nil, err
		}
		if call.cmd.Filter, err = call.enc.Document(c.scope.marshal, "filter", filter); err != nil {
			return nil, err
		}
		call.op.Answer, settings.memory = exec.OpenCursor, c.memory
		settings.timeout.adjustOpening(&call.op)
		out, err := c.run(ctx, &call.op)
		if err != nil {
			return nil, err
		}
		return newCursor(c.db.client, c.db.name, c.scope, out, settings)
	})
}

func findSettings(ctx context.Context, o *options.Find, scope scope) (cursorSettings, error) {
	if o == nil {
		o = &options.Find{}
	}
	s := cursorSettings{batchSize: max(option.Or(o.BatchSize, 0), 0), comment: o.Comment, tailable: isTailable(o.CursorType)}
	s.exhaust = option.Or(o.Exhaust, false)
	if limit := option.Or(o.Limit, 0); limit > 0 {
		s.limit = limit
	}
	if o.CursorType != nil && *o.CursorType == options.TailableAwait {
		s.maxAwaitTime = option.Or(o.MaxAwaitTime, 0)
	}
	var err error
	s.timeout, err = newCursorTimeout(ctx, cursorOptions{
		own: o.Timeout, inherited: scope.timeout, mode: o.TimeoutMode, kind: o.CursorType, maxAwait: o.MaxAwaitTime,
	})
	return s, err
}

// FindOne finds one document that matches a filter.
func (c *Collection) FindOne(ctx context.Context, filter any, opts ...*options.FindOne) *SingleResult {
	if err := c.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := mergeOptions(opts)
	calls := &c.db.client.calls.findOne
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.FindOne{Collection: c.name, Options: o}
	c.prepareRead(&call.op, &call.cmd)
	return runSingleInSpan(ctx, c.db.client, &call.op, func(ctx context.Context) *SingleResult {
		if o != nil {
			if err := encode.CheckOrder(o.Sort, o.Hint, o.Min, o.Max); err != nil {
				return &SingleResult{err: err}
			}
		}
		var err error
		if call.cmd.Filter, err = call.enc.Document(c.scope.marshal, "filter", filter); err != nil {
			return &SingleResult{err: err}
		}
		out, err := c.run(ctx, &call.op)
		if err != nil {
			return &SingleResult{err: err}
		}
		reply, err := command.ParseCursorReply(out.Reply)
		if err != nil {
			return &SingleResult{err: err}
		}
		if documents := batch.Of(reply.Batch); documents.HasMore() {
			doc, err := documents.Next()
			return &SingleResult{doc: doc, err: err, unmarshal: c.scope.unmarshal}
		}
		return &SingleResult{err: ErrNoDocuments}
	})
}
