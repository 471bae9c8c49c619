package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
)

// CreateCollection creates a collection or a view. If the options have EncryptedFields, it also creates the metadata
// collections and the index that Queryable Encryption needs.
func (d *Database) CreateCollection(ctx context.Context, name string, opts ...*options.CreateCollection) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	if err := checkCollectionName(name); err != nil {
		return err
	}
	o := merged(opts)
	fields, err := d.encryptedFields(o, name)
	if err != nil {
		return err
	}
	if fields != nil {
		if o == nil {
			o = &options.CreateCollection{}
		}
		return d.createEncrypted(ctx, name, *o, fields)
	}
	return d.write(ctx, &command.CreateCollection{Collection: name, Options: o})
}

// Drop drops the collection. It is not an error if the collection does not exist. For a collection with encrypted
// fields, Drop also drops the metadata collections. It knows them from EncryptedFields in the options, or from the
// client's AutoEncryption.
func (c *Collection) Drop(ctx context.Context, opts ...*options.DropCollection) error {
	if err := c.usable(ctx); err != nil {
		return err
	}
	o := merged(opts)
	fields, err := c.encryptedFields(ctx, o)
	if err != nil {
		return err
	}
	if fields != nil {
		if err := c.dropEncrypted(ctx, o, fields); err != nil {
			return err
		}
	}
	return c.drop(ctx, o)
}
