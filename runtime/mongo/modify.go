package mongo

import (
	"cmp"
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// CreateView creates a view. Each time the view is read, the server runs the pipeline on the collection or view viewOn.
func (d *Database) CreateView(ctx context.Context, name, viewOn string, pipeline any, opts ...*options.CreateCollection) error {
	if err := d.check(ctx); err != nil {
		return err
	}
	o := options.CreateCollection{}
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	op := &exec.Operation{Command: &command.CreateCollection{Collection: name}, DB: d.name}
	return runErrorInSpan(ctx, d.client, op, func(ctx context.Context) error {
		if err := checkCollectionName(viewOn); err != nil {
			return encode.At(err, "the collection of the view")
		}
		stages, err := d.scope.pipeline(pipeline)
		if err != nil {
			return err
		}
		o.ViewOn, o.Pipeline = &viewOn, stages
		return d.CreateCollection(ctx, name, &o)
	})
}

// ModifyCollection changes options of a collection or view, or of one of its indexes.
func (d *Database) ModifyCollection(ctx context.Context, name string, opts ...*options.ModifyCollection) error {
	if err := d.check(ctx); err != nil {
		return err
	}
	cmd := &command.ModifyCollection{Collection: name, Options: mergeOptions(opts)}
	op := &exec.Operation{Command: cmd, DB: d.name, WriteConcern: d.scope.writeConcern}
	return runErrorInSpan(ctx, d.client, op, func(ctx context.Context) error {
		if err := checkCollectionName(name); err != nil {
			return err
		}
		return d.runWithoutResult(ctx, op)
	})
}

// Rename gives the collection another name in its database. The handle keeps the old name.
func (c *Collection) Rename(ctx context.Context, name string, opts ...*options.RenameCollection) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	cmd := &command.RenameCollection{From: c.db.name + "." + c.name, To: c.db.name + "." + name, Options: mergeOptions(opts)}
	op := &exec.Operation{Command: cmd, DB: "admin", WriteConcern: c.scope.writeConcern, Timeout: c.scope.timeout}
	return runErrorInSpan(ctx, c.db.client, op, func(ctx context.Context) error {
		if err := cmp.Or(c.invalid, checkCollectionName(name)); err != nil {
			return err
		}
		out, err := c.db.client.run(ctx, op)
		if err != nil {
			return err
		}
		return writeConcernError(out)
	})
}
