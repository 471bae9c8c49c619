package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
)

// DeleteOne deletes one document that matches a filter.
func (c *Collection) DeleteOne(ctx context.Context, filter any, opts ...*options.DeleteOne) (*DeleteResult, error) {
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
	return c.delete(ctx, &command.DeleteOne{Collection: c.name, Filter: raw, Options: o})
}

// DeleteMany deletes every document that matches a filter; bson.D{} deletes all.
func (c *Collection) DeleteMany(ctx context.Context, filter any, opts ...*options.DeleteMany) (*DeleteResult, error) {
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
	return c.delete(ctx, &command.DeleteMany{Collection: c.name, Filter: raw, Options: o})
}

func (c *Collection) delete(ctx context.Context, cmd command.Batch) (*DeleteResult, error) {
	reply, acknowledged, err := c.writeOne(ctx, cmd)
	if err != nil && !applied(err) {
		return nil, err
	}
	return &DeleteResult{Acknowledged: acknowledged, DeletedCount: reply.N}, err
}
