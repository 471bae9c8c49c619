package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// UpdateOne updates one document that matches a filter. The update is a document of operators or a pipeline.
func (c *Collection) UpdateOne(ctx context.Context, filter, update any, opts ...*options.UpdateOne) (*UpdateResult, error) {
	o := merged(opts)
	if o != nil {
		if err := inOrder(o.Sort, o.Hint); err != nil {
			return nil, err
		}
	}
	cmd := &command.UpdateOne{Collection: c.name, Options: o}
	if err := c.encodeUpdate(filter, update, &cmd.Filter, &cmd.Update); err != nil {
		return nil, err
	}
	return c.update(ctx, cmd)
}

// UpdateByID updates the document with an _id. The update is a document of operators or a pipeline.
func (c *Collection) UpdateByID(ctx context.Context, id, update any, opts ...*options.UpdateOne) (*UpdateResult, error) {
	if id == nil {
		return nil, fault.Misuse(fault.ErrNilValue, "the _id is nil: to update a document whose _id is null use UpdateOne")
	}
	return c.UpdateOne(ctx, bson.D{{Key: "_id", Value: id}}, update, opts...)
}

// UpdateMany updates every document that matches a filter.
func (c *Collection) UpdateMany(ctx context.Context, filter, update any, opts ...*options.UpdateMany) (*UpdateResult, error) {
	o := merged(opts)
	if o != nil {
		if err := inOrder(nil, o.Hint); err != nil {
			return nil, err
		}
	}
	cmd := &command.UpdateMany{Collection: c.name, Options: o}
	if err := c.encodeUpdate(filter, update, &cmd.Filter, &cmd.Update); err != nil {
		return nil, err
	}
	return c.update(ctx, cmd)
}

// ReplaceOne puts a document in the place of one that matches a filter. The _id stays.
func (c *Collection) ReplaceOne(ctx context.Context, filter, replacement any, opts ...*options.ReplaceOne) (*UpdateResult, error) {
	o := merged(opts)
	if o != nil {
		if err := inOrder(o.Sort, o.Hint); err != nil {
			return nil, err
		}
	}
	cmd := &command.ReplaceOne{Collection: c.name, Options: o}
	var err error
	if cmd.Filter, err = c.scope.document("filter", filter); err != nil {
		return nil, err
	}
	if cmd.Replacement, err = c.scope.replacement(replacement); err != nil {
		return nil, err
	}
	return c.update(ctx, cmd)
}

func (c *Collection) encodeUpdate(filter, update any, rawFilter *bson.Raw, rawUpdate *bson.RawValue) (err error) {
	if *rawFilter, err = c.scope.document("filter", filter); err != nil {
		return err
	}
	*rawUpdate, err = c.scope.update(update)
	return err
}

func (c *Collection) update(ctx context.Context, cmd command.Batch) (*UpdateResult, error) {
	reply, acknowledged, err := c.writeOne(ctx, cmd)
	if err != nil && !applied(err) {
		return nil, err
	}
	result := &UpdateResult{Acknowledged: acknowledged, MatchedCount: reply.N, ModifiedCount: reply.NModified}
	for _, value := range reply.Upserted.All() {
		doc, _ := value.DocumentOK()
		result.UpsertedID = upsertedID(doc)
		result.UpsertedCount++
		result.MatchedCount-- // the server counts an upserted document as matched
	}
	return result, err
}
