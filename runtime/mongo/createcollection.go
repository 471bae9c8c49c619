package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
)

// CreateCollection creates a collection, or a view. For one with EncryptedFields it creates the collections and the index
// beside it, too, which Queryable Encryption needs.
func (d *Database) CreateCollection(ctx context.Context, name string, opts ...*options.CreateCollection) error {
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

// Drop removes the collection. A collection that does not exist is no error. The collections beside one with encrypted
// fields are removed, too: those of the EncryptedFields in the options, or as a client that encrypts on its own knows them.
func (c *Collection) Drop(ctx context.Context, opts ...*options.DropCollection) error {
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
