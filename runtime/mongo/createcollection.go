package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// CreateCollection creates a collection or a view. If the options have EncryptedFields, it also creates the metadata
// collections and the index that Queryable Encryption needs.
func (d *Database) CreateCollection(ctx context.Context, name string, opts ...*options.CreateCollection) error {
	if err := d.check(ctx); err != nil {
		return err
	}
	o := mergeOptions(opts)
	cmd := &command.CreateCollection{Collection: name, Options: o}
	op := &exec.Operation{Command: cmd, DB: d.name, WriteConcern: d.scope.writeConcern}
	return runErrorInSpan(ctx, d.client, op, func(ctx context.Context) error {
		if err := checkCollectionName(name); err != nil {
			return err
		}
		fields, err := d.encryptedFields(o, name)
		if err != nil {
			return err
		}
		if fields == nil {
			return d.runWithoutResult(ctx, op)
		}
		if o == nil {
			o = &options.CreateCollection{}
		}
		return d.createEncrypted(ctx, name, *o, fields)
	})
}

// Drop drops the collection. It is not an error if the collection does not exist. For a collection with encrypted
// fields, Drop also drops the metadata collections. It knows them from EncryptedFields in the options, or from the
// client's AutoEncryption.
func (c *Collection) Drop(ctx context.Context, opts ...*options.DropCollection) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	o := mergeOptions(opts)
	op := c.dropOperation(o)
	return runErrorInSpan(ctx, c.db.client, op, func(ctx context.Context) error {
		fields, err := c.encryptedFields(ctx, o)
		if err != nil {
			return err
		}
		if fields != nil {
			if err := c.dropEncrypted(ctx, o, fields); err != nil {
				return err
			}
		}
		return c.drop(ctx, op)
	})
}
