package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// DeleteOne deletes one document that matches a filter.
func (c *Collection) DeleteOne(ctx context.Context, filter any, opts ...*options.DeleteOne) (*DeleteResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	calls := &c.db.client.calls.deleteOne
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.DeleteOne{Collection: c.name, Options: o}
	c.prepareWrite(&call.op, &call.cmd)
	return runInSpan(ctx, c.db.client, &call.op, func(ctx context.Context) (_ *DeleteResult, err error) {
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		if call.cmd.Filter, err = call.enc.Document(c.scope.marshal, "filter", filter); err != nil {
			return nil, err
		}
		return c.delete(ctx, &call.op, &call.cmd, false)
	})
}

// DeleteMany deletes every document that matches a filter. The filter bson.D{} deletes all documents.
// When the server ends it with a write error, the result beside the error holds the numbers of the server's reply.
func (c *Collection) DeleteMany(ctx context.Context, filter any, opts ...*options.DeleteMany) (*DeleteResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.DeleteMany{Collection: c.name, Options: o}
	c.prepareWrite(op, cmd)
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (_ *DeleteResult, err error) {
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		if cmd.Filter, err = encode.Document(c.scope.marshal, "filter", filter); err != nil {
			return nil, err
		}
		return c.delete(ctx, op, cmd, true)
	})
}

func (c *Collection) delete(ctx context.Context, op *exec.Operation, cmd exec.Batch, many bool) (*DeleteResult, error) {
	reply, err := c.writeOne(ctx, op, cmd)
	if err != nil && !wasApplied(err, many) {
		return nil, err
	}
	if _, contradiction := bulk.CleanReply(reply.raw, &reply.WriteReply, encode.Deletes, 1); err == nil {
		err = contradiction
	}
	return &DeleteResult{Acknowledged: reply.raw != nil, DeletedCount: reply.N}, err
}
