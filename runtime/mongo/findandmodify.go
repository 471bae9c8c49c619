package mongo

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// FindOneAndUpdate updates one document and returns it, as it was before unless the options say otherwise.
func (c *Collection) FindOneAndUpdate(ctx context.Context, filter, update any, opts ...*options.FindOneAndUpdate) *SingleResult {
	if err := c.usable(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := merged(opts)
	if o != nil {
		if err := inOrder(o.Sort, o.Hint); err != nil {
			return &SingleResult{err: err}
		}
	}
	var enc encoder
	rawFilter, rawUpdate, err := enc.filterAndUpdate(c.scope, filter, update)
	if err != nil {
		return &SingleResult{err: err}
	}
	return c.findAndModify(ctx, &command.FindOneAndUpdate{Collection: c.name, Filter: rawFilter, Update: rawUpdate, Options: o})
}

// FindOneAndReplace replaces one document and returns it, as it was before unless the options say otherwise.
func (c *Collection) FindOneAndReplace(ctx context.Context, filter, replacement any, opts ...*options.FindOneAndReplace) *SingleResult {
	if err := c.usable(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := merged(opts)
	if o != nil {
		if err := inOrder(o.Sort, o.Hint); err != nil {
			return &SingleResult{err: err}
		}
	}
	var enc encoder
	rawFilter, raw, err := enc.filterAndReplacement(c.scope, filter, replacement)
	if err != nil {
		return &SingleResult{err: err}
	}
	return c.findAndModify(ctx, &command.FindOneAndReplace{Collection: c.name, Filter: rawFilter, Replacement: raw, Options: o})
}

// FindOneAndDelete deletes one document and returns it.
func (c *Collection) FindOneAndDelete(ctx context.Context, filter any, opts ...*options.FindOneAndDelete) *SingleResult {
	if err := c.usable(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := merged(opts)
	if o != nil {
		if err := inOrder(o.Sort, o.Hint); err != nil {
			return &SingleResult{err: err}
		}
	}
	raw, err := c.scope.document("filter", filter)
	if err != nil {
		return &SingleResult{err: err}
	}
	return c.findAndModify(ctx, &command.FindOneAndDelete{Collection: c.name, Filter: raw, Options: o})
}

func (c *Collection) findAndModify(ctx context.Context, cmd command.Command) *SingleResult {
	out, err := c.run(ctx, &exec.Operation{Command: cmd, WriteConcern: c.scope.writeConcern})
	if err != nil {
		return &SingleResult{err: err}
	}
	if out.Reply == nil {
		return &SingleResult{err: ErrNoDocuments}
	}
	reply, err := command.ParseFindAndModifyReply(out.Reply)
	if err == nil {
		err = writeConcernError(out)
	}
	result := &SingleResult{unmarshal: c.scope.unmarshal, err: err}
	doc, ok := reply.Value.DocumentOK()
	result.doc = doc // also beside a write concern error: Raw returns both
	switch {
	case err != nil || ok:
	case reply.Value.IsZero() || reply.Value.Type == bsontype.Null:
		result.err = ErrNoDocuments
	default:
		result.err = fmt.Errorf("mongo: findAndModify: the server's value is of type %s", reply.Value.Type)
	}
	return result
}
