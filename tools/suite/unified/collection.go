package unified

import (
	"context"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Collection is a collection entity.
type Collection struct {
	run      *Run
	database *Database
	c        *mongo.Collection
	options  []*options.Collection
	session  *Session
	within   time.Duration
}

// With returns the collection with a session, for the next call.
func (c *Collection) With(s *Session) *Collection {
	other := *c
	other.session = s
	return &other
}

// Within returns the collection with a time limit for the next call.
func (c *Collection) Within(limit time.Duration) *Collection {
	other := *c
	other.within = limit
	return &other
}

// Under returns the collection with concerns of its own, for the next call.
func (c *Collection) Under(own *options.Collection) *Collection {
	other := *c
	other.c = c.database.db.Collection(c.c.Name(), append(slices.Clone(c.options), own)...)
	return &other
}

func (c *Collection) do(name string, fn func(ctx context.Context) (actual, error)) *Result {
	return c.run.do(name, c.session, c.within, fn)
}

// Find finds documents and reads them all.
func (c *Collection) Find(filter any, opts ...*options.Find) *Result {
	return c.do("find", func(ctx context.Context) (actual, error) {
		cursor, err := c.c.Find(ctx, documentOrEmpty(filter), opts...)
		return readAll(ctx, cursor, err)
	})
}

// CreateFindCursor finds documents.
func (c *Collection) CreateFindCursor(filter any, opts ...*options.Find) *Result {
	return c.run.open(c.session, c.within, "createFindCursor", func(ctx context.Context) (iterator, error) {
		return asIterator(c.c.Find(ctx, documentOrEmpty(filter), opts...))
	})
}

// FindOne finds a document.
func (c *Collection) FindOne(filter any, opts ...*options.FindOne) *Result {
	return c.do("findOne", func(ctx context.Context) (actual, error) {
		return readSingle(c.c.FindOne(ctx, documentOrEmpty(filter), opts...))
	})
}

// FindOneAndDelete deletes a document and returns it.
func (c *Collection) FindOneAndDelete(filter any, opts ...*options.FindOneAndDelete) *Result {
	return c.do("findOneAndDelete", func(ctx context.Context) (actual, error) {
		return readSingle(c.c.FindOneAndDelete(ctx, filter, opts...))
	})
}

// FindOneAndReplace replaces a document.
func (c *Collection) FindOneAndReplace(filter, replacement any, opts ...*options.FindOneAndReplace) *Result {
	return c.do("findOneAndReplace", func(ctx context.Context) (actual, error) {
		return readSingle(c.c.FindOneAndReplace(ctx, filter, replacement, opts...))
	})
}

// FindOneAndUpdate updates a document.
func (c *Collection) FindOneAndUpdate(filter, update any, opts ...*options.FindOneAndUpdate) *Result {
	return c.do("findOneAndUpdate", func(ctx context.Context) (actual, error) {
		return readSingle(c.c.FindOneAndUpdate(ctx, filter, update, opts...))
	})
}

// InsertOne inserts a document.
func (c *Collection) InsertOne(document any, opts ...*options.InsertOne) *Result {
	return c.do("insertOne", func(ctx context.Context) (actual, error) {
		r, err := c.c.InsertOne(ctx, document, opts...)
		if r == nil {
			return actual{}, err
		}
		if !r.Acknowledged {
			return unacknowledged, err
		}
		return model(bson.Doc("insertedId", r.InsertedID)), err
	})
}

// InsertMany inserts documents.
func (c *Collection) InsertMany(documents any, opts ...*options.InsertMany) *Result {
	return c.do("insertMany", func(ctx context.Context) (actual, error) {
		r, err := c.c.InsertMany(ctx, documents, opts...)
		return insertManyResult(r, err), err
	})
}

// UpdateOne updates a document.
func (c *Collection) UpdateOne(filter, update any, opts ...*options.UpdateOne) *Result {
	return c.do("updateOne", func(ctx context.Context) (actual, error) {
		return updateResult(c.c.UpdateOne(ctx, filter, update, opts...))
	})
}

// UpdateMany updates documents.
func (c *Collection) UpdateMany(filter, update any, opts ...*options.UpdateMany) *Result {
	return c.do("updateMany", func(ctx context.Context) (actual, error) {
		return updateResult(c.c.UpdateMany(ctx, filter, update, opts...))
	})
}

// ReplaceOne replaces a document.
func (c *Collection) ReplaceOne(filter, replacement any, opts ...*options.ReplaceOne) *Result {
	return c.do("replaceOne", func(ctx context.Context) (actual, error) {
		return updateResult(c.c.ReplaceOne(ctx, filter, replacement, opts...))
	})
}

// DeleteOne deletes a document.
func (c *Collection) DeleteOne(filter any, opts ...*options.DeleteOne) *Result {
	return c.do("deleteOne", func(ctx context.Context) (actual, error) {
		return deleteResult(c.c.DeleteOne(ctx, filter, opts...))
	})
}

// DeleteMany deletes documents.
func (c *Collection) DeleteMany(filter any, opts ...*options.DeleteMany) *Result {
	return c.do("deleteMany", func(ctx context.Context) (actual, error) {
		return deleteResult(c.c.DeleteMany(ctx, filter, opts...))
	})
}

// BulkWrite writes several times.
func (c *Collection) BulkWrite(requests []options.WriteModel, opts ...*options.BulkWrite) *Result {
	return c.do("bulkWrite", func(ctx context.Context) (actual, error) {
		r, err := c.c.BulkWrite(ctx, requests, opts...)
		return bulkResult(r), err
	})
}

// Aggregate runs a pipeline and reads what comes of it.
func (c *Collection) Aggregate(pipeline any, opts ...*options.Aggregate) *Result {
	return c.do("aggregate", func(ctx context.Context) (actual, error) {
		cursor, err := c.c.Aggregate(ctx, pipeline, opts...)
		return readAll(ctx, cursor, err)
	})
}

// Count counts documents with the deprecated helper for the count command.
func (c *Collection) Count(filter any, opts ...*options.Count) *Result {
	return c.do("count", func(ctx context.Context) (actual, error) {
		n, err := c.c.Count(ctx, documentOrEmpty(filter), opts...) //lint:ignore SA1019 suites test its retries
		return value(n), err
	})
}

// CountDocuments counts documents.
func (c *Collection) CountDocuments(filter any, opts ...*options.Count) *Result {
	return c.do("countDocuments", func(ctx context.Context) (actual, error) {
		n, err := c.c.CountDocuments(ctx, documentOrEmpty(filter), opts...)
		return value(n), err
	})
}

// EstimatedDocumentCount counts documents without looking at them.
func (c *Collection) EstimatedDocumentCount(opts ...*options.EstimatedDocumentCount) *Result {
	return c.do("estimatedDocumentCount", func(ctx context.Context) (actual, error) {
		n, err := c.c.EstimatedDocumentCount(ctx, opts...)
		return value(n), err
	})
}

// Distinct lists the values of a field.
func (c *Collection) Distinct(field string, filter any, opts ...*options.Distinct) *Result {
	return c.do("distinct", func(ctx context.Context) (actual, error) {
		list, err := c.c.Distinct(ctx, field, documentOrEmpty(filter), opts...).Raw()
		return value(list), err
	})
}

// MapReduce runs JavaScript on the server. Functions may be code or text.
func (c *Collection) MapReduce(mapper, reducer, out any, opts ...*options.MapReduce) *Result {
	return c.do("mapReduce", func(ctx context.Context) (actual, error) {
		cursor, err := c.c.MapReduce(ctx, javaScript(mapper), javaScript(reducer), out, opts...) //lint:ignore SA1019 suites test it
		return readAll(ctx, cursor, err)
	})
}

func javaScript(v any) bson.JavaScript {
	if code, ok := v.(bson.JavaScript); ok {
		return code
	}
	text, _ := v.(string)
	return bson.JavaScript(text)
}

// Drop drops the collection.
func (c *Collection) Drop(opts ...*options.DropCollection) *Result {
	return c.do("drop", func(ctx context.Context) (actual, error) { return actual{}, c.c.Drop(ctx, opts...) })
}

// Rename gives the collection another name.
func (c *Collection) Rename(to string, opts ...*options.RenameCollection) *Result {
	return c.do("rename", func(ctx context.Context) (actual, error) { return actual{}, c.c.Rename(ctx, to, opts...) })
}

// CreateChangeStream opens a change stream.
func (c *Collection) CreateChangeStream(pipeline any, opts ...*options.ChangeStream) *Result {
	return c.run.open(c.session, c.within, "createChangeStream", func(ctx context.Context) (iterator, error) {
		return asStreamIterator(c.c.Watch(ctx, pipelineOrEmpty(pipeline), opts...))
	})
}

// indexDocument returns the document whose keys are indexes.
func indexDocument(m map[int]any) bson.D {
	d := bson.D{}
	for i := 0; len(d) < len(m); i++ {
		if v, ok := m[i]; ok {
			d = append(d, bson.E{Key: itoa(i), Value: v})
		}
	}
	return d
}
