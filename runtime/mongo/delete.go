package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// DeleteOne deletes one document that matches a filter.
func (c *Collection) DeleteOne(ctx context.Context, filter any, opts ...*options.DeleteOne) (*DeleteResult, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	o := merged(opts)
	if o != nil {
		if err := inOrder(nil, o.Hint); err != nil {
			return nil, err
		}
	}
	calls := &c.db.client.calls.deleteOne
	call := calls.get()
	defer calls.put(call)
	raw, err := call.enc.document(c.scope, "filter", filter)
	if err != nil {
		return nil, err
	}
	call.cmd = command.DeleteOne{Collection: c.name, Filter: raw, Options: o}
	return c.delete(ctx, &call.op, &call.cmd)
}

// DeleteMany deletes every document that matches a filter. The filter bson.D{} deletes all documents.
func (c *Collection) DeleteMany(ctx context.Context, filter any, opts ...*options.DeleteMany) (*DeleteResult, error) {
	if err := c.usable(ctx); err != nil {
		return nil, err
	}
	o := merged(opts)
	if o != nil {
		if err := inOrder(nil, o.Hint); err != nil {
			return nil, err
		}
	}
	raw, err := c.scope.document("filter", filter)
	if err != nil {
		return nil, err
	}
	return c.delete(ctx, new(exec.Operation), &command.DeleteMany{Collection: c.name, Filter: raw, Options: o})
}

func (c *Collection) delete(ctx context.Context, op *exec.Operation, cmd command.Batch) (*DeleteResult, error) {
	reply, acknowledged, err := c.writeOne(ctx, op, cmd)
	if err != nil && !applied(err) {
		return nil, err
	}
	if _, contradiction := takeApart(&reply, deletes, 1); err == nil {
		err = contradiction
	}
	return &DeleteResult{Acknowledged: acknowledged, DeletedCount: reply.N}, err
}
