package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// UpdateOne updates one document that matches a filter. The update is a document of update operators or a pipeline.
func (c *Collection) UpdateOne(ctx context.Context, filter, update any, opts ...*options.UpdateOne) (*UpdateResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	calls := &c.db.client.calls.updateOne
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.UpdateOne{Collection: c.name, Options: o}
	c.prepareWrite(&call.op, &call.cmd)
	return runInSpan(ctx, c.db.client, &call.op, func(ctx context.Context) (_ *UpdateResult, err error) {
		if o != nil {
			if err := encode.CheckOrder(o.Sort, o.Hint); err != nil {
				return nil, err
			}
		}
		if call.cmd.Filter, call.cmd.Update, err = call.enc.FilterAndUpdate(c.scope.marshal, filter, update); err != nil {
			return nil, err
		}
		return c.update(ctx, &call.op, &call.cmd, false)
	})
}

// UpdateByID updates the document with the given _id. The update is a document of update operators or a pipeline.
func (c *Collection) UpdateByID(ctx context.Context, id, update any, opts ...*options.UpdateOne) (*UpdateResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	if id == nil {
		return nil, fault.Misuse(fault.ErrNilValue, "the _id is nil: to update a document whose _id is null, use UpdateOne")
	}
	return c.UpdateOne(ctx, bson.D{{Key: "_id", Value: id}}, update, opts...)
}

// UpdateMany updates every document that matches a filter. The update is a document of update operators or a pipeline.
// When the server ends it with a write error, the result beside the error holds the numbers of the server's reply.
func (c *Collection) UpdateMany(ctx context.Context, filter, update any, opts ...*options.UpdateMany) (*UpdateResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.UpdateMany{Collection: c.name, Options: o}
	c.prepareWrite(op, cmd)
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (_ *UpdateResult, err error) {
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		var enc encode.Encoder
		if cmd.Filter, cmd.Update, err = enc.FilterAndUpdate(c.scope.marshal, filter, update); err != nil {
			return nil, err
		}
		return c.update(ctx, op, cmd, true)
	})
}

// ReplaceOne replaces one document that matches a filter. The _id stays the same.
func (c *Collection) ReplaceOne(ctx context.Context, filter, replacement any, opts ...*options.ReplaceOne) (*UpdateResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	calls := &c.db.client.calls.replaceOne
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.ReplaceOne{Collection: c.name, Options: o}
	c.prepareWrite(&call.op, &call.cmd)
	return runInSpan(ctx, c.db.client, &call.op, func(ctx context.Context) (_ *UpdateResult, err error) {
		if o != nil {
			if err := encode.CheckOrder(o.Sort, o.Hint); err != nil {
				return nil, err
			}
		}
		if call.cmd.Filter, call.cmd.Replacement, err = call.enc.FilterAndReplacement(c.scope.marshal, filter, replacement); err != nil {
			return nil, err
		}
		return c.update(ctx, &call.op, &call.cmd, false)
	})
}

func (c *Collection) update(ctx context.Context, op *exec.Operation, cmd exec.Batch, many bool) (*UpdateResult, error) {
	reply, err := c.writeOne(ctx, op, cmd)
	if err != nil && !wasApplied(err, many) {
		return nil, err
	}
	upserted, contradiction := bulk.CleanReply(reply.raw, &reply.WriteReply, encode.Updates, 1)
	result := &UpdateResult{
		Acknowledged: reply.raw != nil, ModifiedCount: reply.NModified, UpsertedCount: int64(len(upserted)),
		MatchedCount: reply.N - int64(len(upserted)), // the server counts an upserted document as matched
	}
	if len(upserted) > 0 {
		result.UpsertedID = upserted[0].ID
	}
	if err == nil {
		err = contradiction
	}
	return result, err
}
