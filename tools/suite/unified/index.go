package unified

import (
	"context"
	"strconv"

	"github.com/specdrivers/onion/generated/options"
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
		names, err := c.c.CreateIndexes(ctx, models, opts...)
		return value(names), err
	})
}

// DropIndex drops an index.
func (c *Collection) DropIndex(name string, opts ...*options.DropIndexes) *Result {
	return c.do("dropIndex", func(ctx context.Context) (actual, error) { return actual{}, c.c.DropIndex(ctx, name, opts...) })
}

// DropIndexes drops all indexes.
func (c *Collection) DropIndexes(opts ...*options.DropIndexes) *Result {
	return c.do("dropIndexes", func(ctx context.Context) (actual, error) { return actual{}, c.c.DropAllIndexes(ctx, opts...) })
}

// ListIndexes lists indexes.
func (c *Collection) ListIndexes(opts ...*options.ListIndexes) *Result {
	return c.do("listIndexes", func(ctx context.Context) (actual, error) {
		cursor, err := c.c.ListIndexes(ctx, opts...)
		return all(ctx, cursor, err)
	})
}

// ListIndexNames lists the names of indexes.
func (c *Collection) ListIndexNames(opts ...*options.ListIndexes) *Result {
	return c.do("listIndexNames", func(ctx context.Context) (actual, error) {
		names, err := c.c.ListIndexNames(ctx, opts...)
		return value(names), err
	})
}

// CreateSearchIndex builds a search index.
func (c *Collection) CreateSearchIndex(model options.SearchIndexModel, opts ...*options.CreateSearchIndexes) *Result {
	c.run.t.Helper()
	c.run.notBuilt("createSearchIndex")
	return nil
}

// CreateSearchIndexes builds search indexes.
func (c *Collection) CreateSearchIndexes(models []options.SearchIndexModel, opts ...*options.CreateSearchIndexes) *Result {
	c.run.t.Helper()
	c.run.notBuilt("createSearchIndexes")
	return nil
}

// UpdateSearchIndex changes a search index.
func (c *Collection) UpdateSearchIndex(name string, definition any, opts ...*options.UpdateSearchIndex) *Result {
	c.run.t.Helper()
	c.run.notBuilt("updateSearchIndex")
	return nil
}

// DropSearchIndex drops a search index.
func (c *Collection) DropSearchIndex(name string, opts ...*options.DropSearchIndex) *Result {
	c.run.t.Helper()
	c.run.notBuilt("dropSearchIndex")
	return nil
}

// ListSearchIndexes lists search indexes.
func (c *Collection) ListSearchIndexes(name string, aggregate *options.Aggregate) *Result {
	c.run.t.Helper()
	c.run.notBuilt("listSearchIndexes")
	return nil
}
