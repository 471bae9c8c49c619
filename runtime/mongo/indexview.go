package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/options"
)

// IndexView manages the indexes of a collection under the official driver's method names. Each method does the same as
// one of Collection.
type IndexView struct{ c *Collection }

// Indexes is the view of the collection's indexes.
func (c *Collection) Indexes() IndexView { return IndexView{c} }

// CreateOne is Collection.CreateIndex.
func (v IndexView) CreateOne(ctx context.Context, model IndexModel, opts ...*options.CreateIndexes) (string, error) {
	return v.c.CreateIndex(ctx, model, opts...)
}

// CreateMany is Collection.CreateIndexes.
func (v IndexView) CreateMany(ctx context.Context, models []IndexModel, opts ...*options.CreateIndexes) ([]string, error) {
	return v.c.CreateIndexes(ctx, models, opts...)
}

// List is Collection.ListIndexes.
func (v IndexView) List(ctx context.Context, opts ...*options.ListIndexes) (*Cursor, error) {
	return v.c.ListIndexes(ctx, opts...)
}

// ListSpecifications is Collection.ListIndexSpecifications.
func (v IndexView) ListSpecifications(ctx context.Context, opts ...*options.ListIndexes) ([]IndexSpecification, error) {
	return v.c.ListIndexSpecifications(ctx, opts...)
}

// DropOne is Collection.DropIndex.
func (v IndexView) DropOne(ctx context.Context, name string, opts ...*options.DropIndexes) error {
	return v.c.DropIndex(ctx, name, opts...)
}

// DropWithKey is Collection.DropIndexWithKey.
func (v IndexView) DropWithKey(ctx context.Context, keys any, opts ...*options.DropIndexes) error {
	return v.c.DropIndexWithKey(ctx, keys, opts...)
}

// DropAll is Collection.DropAllIndexes.
func (v IndexView) DropAll(ctx context.Context, opts ...*options.DropIndexes) error {
	return v.c.DropAllIndexes(ctx, opts...)
}
