package mongo

import (
	"context"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// FindOneAndUpdate updates one document and returns it, as it was before unless the options say otherwise.
func (c *Collection) FindOneAndUpdate(ctx context.Context, filter, update any, opts ...*options.FindOneAndUpdate) *SingleResult {
	if err := c.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.FindOneAndUpdate{Collection: c.name, Options: o}
	c.prepareWrite(op, cmd)
	return runSingleInSpan(ctx, c.db.client, op, func(ctx context.Context) *SingleResult {
		if o != nil {
			if err := errors.Join(encode.CheckOrder(o.Sort, o.Hint), checkReturnDocument(o.ReturnDocument)); err != nil {
				return &SingleResult{err: err}
			}
		}
		var enc encode.Encoder
		var err error
		if cmd.Filter, cmd.Update, err = enc.FilterAndUpdate(c.scope.marshal, filter, update); err != nil {
			return &SingleResult{err: err}
		}
		return c.findAndModify(ctx, op)
	})
}

// FindOneAndReplace replaces one document and returns it, as it was before unless the options say otherwise.
func (c *Collection) FindOneAndReplace(ctx context.Context, filter, replacement any, opts ...*options.FindOneAndReplace) *SingleResult {
	if err := c.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.FindOneAndReplace{Collection: c.name, Options: o}
	c.prepareWrite(op, cmd)
	return runSingleInSpan(ctx, c.db.client, op, func(ctx context.Context) *SingleResult {
		if o != nil {
			if err := errors.Join(encode.CheckOrder(o.Sort, o.Hint), checkReturnDocument(o.ReturnDocument)); err != nil {
				return &SingleResult{err: err}
			}
		}
		var enc encode.Encoder
		var err error
		if cmd.Filter, cmd.Replacement, err = enc.FilterAndReplacement(c.scope.marshal, filter, replacement); err != nil {
			return &SingleResult{err: err}
		}
		return c.findAndModify(ctx, op)
	})
}

// FindOneAndDelete deletes one document and returns it.
func (c *Collection) FindOneAndDelete(ctx context.Context, filter any, opts ...*options.FindOneAndDelete) *SingleResult {
	if err := c.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.FindOneAndDelete{Collection: c.name, Options: o}
	c.prepareWrite(op, cmd)
	return runSingleInSpan(ctx, c.db.client, op, func(ctx context.Context) *SingleResult {
		if o != nil {
			if err := encode.CheckOrder(o.Sort, o.Hint); err != nil {
				return &SingleResult{err: err}
			}
		}
		var err error
		if cmd.Filter, err = encode.Document(c.scope.marshal, "filter", filter); err != nil {
			return &SingleResult{err: err}
		}
		return c.findAndModify(ctx, op)
	})
}

func (c *Collection) findAndModify(ctx context.Context, op *exec.Operation) *SingleResult {
	out, err := c.run(ctx, op)
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

func checkReturnDocument(d *options.ReturnDocument) error {
	return option.CheckNumber("ReturnDocument", d, options.After, "options.Before or options.After")
}
