package unified

import (
	"context"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func itoa(i int) string { return strconv.Itoa(i) }

// CreateIndex builds an index.
func (c *Collection) CreateIndex(keys any, index *options.Index, opts ...*options.CreateIndexes) *Result {
	return c.do("createIndex", func(ctx context.Context) (actual, error) {
		name, err := c.c.CreateIndex(ctx, options.IndexModel{Keys: keys, Options: index}, opts...)
		return value(name), err
	})
}

// CreateIndexes builds indexes.
func (c *Collection) CreateIndexes(models []options.IndexModel, opts ...*options.CreateIndexes) *Result {
	return c.do("createIndexes", func(ctx context.Context) (actual, error) {
		return values(c.c.CreateIndexes(ctx, models, opts...))
	})
}

// DropIndex drops the index that has a name, or that has keys.
func (c *Collection) DropIndex(which any, opts ...*options.DropIndexes) *Result {
	return c.do("dropIndex", func(ctx context.Context) (actual, error) {
		if name, ok := which.(string); ok {
			return actual{}, c.c.DropIndex(ctx, name, opts...)
		}
		return actual{}, c.c.DropIndexWithKey(ctx, which, opts...)
	})
}

// DropIndexes drops all indexes.
func (c *Collection) DropIndexes(opts ...*options.DropIndexes) *Result {
	return c.do("dropIndexes", func(ctx context.Context) (actual, error) { return actual{}, c.c.DropAllIndexes(ctx, opts...) })
}

// ListIndexes lists indexes.
func (c *Collection) ListIndexes(opts ...*options.ListIndexes) *Result {
	return c.do("listIndexes", func(ctx context.Context) (actual, error) {
		cursor, err := c.c.ListIndexes(ctx, opts...)
		return readAll(ctx, cursor, err)
	})
}

// ListIndexNames lists the names of indexes.
func (c *Collection) ListIndexNames(opts ...*options.ListIndexes) *Result {
	return c.do("listIndexNames", func(ctx context.Context) (actual, error) {
		return values(c.c.ListIndexNames(ctx, opts...))
	})
}

// CreateSearchIndex builds a search index.
func (c *Collection) CreateSearchIndex(model options.SearchIndexModel, opts ...*options.CreateSearchIndexes) *Result {
	return c.do("createSearchIndex", func(ctx context.Context) (actual, error) {
		name, err := c.c.SearchIndexes().CreateOne(ctx, model, opts...)
		return value(name), err
	})
}

// CreateSearchIndexes builds search indexes.
func (c *Collection) CreateSearchIndexes(models []options.SearchIndexModel, opts ...*options.CreateSearchIndexes) *Result {
	return c.do("createSearchIndexes", func(ctx context.Context) (actual, error) {
		return values(c.c.SearchIndexes().CreateMany(ctx, models, opts...))
	})
}

// UpdateSearchIndex changes a search index.
func (c *Collection) UpdateSearchIndex(name string, definition any, opts ...*options.UpdateSearchIndex) *Result {
	return c.do("updateSearchIndex", func(ctx context.Context) (actual, error) {
		return actual{}, c.c.SearchIndexes().UpdateOne(ctx, name, definition, opts...)
	})
}

// DropSearchIndex drops a search index.
func (c *Collection) DropSearchIndex(name string, opts ...*options.DropSearchIndex) *Result {
	return c.do("dropSearchIndex", func(ctx context.Context) (actual, error) {
		return actual{}, c.c.SearchIndexes().DropOne(ctx, name, opts...)
	})
}

// ListSearchIndexes lists search indexes.
func (c *Collection) ListSearchIndexes(name string, aggregate *options.Aggregate) *Result {
	return c.do("listSearchIndexes", func(ctx context.Context) (actual, error) {
		o := &options.ListSearchIndexes{Aggregate: aggregate}
		if name != "" {
			o.Name = &name
		}
		cursor, err := c.c.SearchIndexes().List(ctx, o)
		if err != nil {
			return actual{}, err
		}
		return documents(mongo.All[bson.Raw](ctx, cursor))
	})
}
