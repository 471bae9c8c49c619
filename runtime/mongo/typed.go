package mongo

import (
	"context"
	"iter"

	"github.com/specdrivers/onion/generated/options"
)

// TypedCollection is a collection whose documents are Ts: its methods take and return T. It holds nothing but the
// collection, may be copied, and is safe for use by several goroutines. What does not deal in whole documents, such as
// deletes, indexes and bulk writes, stays with Collection.
type TypedCollection[T any] struct{ collection *Collection }

// Typed gives a collection whose methods take and return T.
//
//	users := mongo.Typed[User](client.Database("shop").Collection("users"))
//	ada, err := users.FindOne(ctx, bson.Doc("name", "Ada"))
func Typed[T any](collection *Collection) TypedCollection[T] { return TypedCollection[T]{collection} }

// Collection is the collection itself.
func (c TypedCollection[T]) Collection() *Collection { return c.collection }

// InsertOne inserts a document. One without an _id gets one, which the result names; the document itself does not change.
func (c TypedCollection[T]) InsertOne(ctx context.Context, document T, opts ...*options.InsertOne) (*InsertOneResult, error) {
	return c.collection.InsertOne(ctx, document, opts...)
}

// InsertMany inserts documents, of which there must be at least one.
func (c TypedCollection[T]) InsertMany(ctx context.Context, documents []T, opts ...*options.InsertMany) (*InsertManyResult, error) {
	return c.collection.InsertMany(ctx, documents, opts...)
}

// FindOne finds a document that matches a filter. When none does, the error is ErrNoDocuments.
func (c TypedCollection[T]) FindOne(ctx context.Context, filter any, opts ...*options.FindOne) (T, error) {
	return decodeOne[T](c.collection.FindOne(ctx, filter, opts...))
}

// Find walks over the documents that match a filter. The command is sent when the loop begins, once per loop, and the cursor is
// closed when it ends, also when it is left early. An error ends the walk; it is the last thing that is yielded.
//
//	for user, err := range users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 30))) {
//		if err != nil { return err }
//		...
//	}
func (c TypedCollection[T]) Find(ctx context.Context, filter any, opts ...*options.Find) iter.Seq2[T, error] {
	return walk[T](ctx, func() (*Cursor, error) { return c.collection.Find(ctx, filter, opts...) })
}

// FindAll finds all documents that match a filter. The slice is empty, not nil, when there are none.
func (c TypedCollection[T]) FindAll(ctx context.Context, filter any, opts ...*options.Find) ([]T, error) {
	cursor, err := c.collection.Find(ctx, filter, opts...)
	if err != nil {
		return nil, err
	}
	return All[T](ctx, cursor)
}

// Aggregate walks over the results of a pipeline that yields Ts, as Find walks over documents. A pipeline with results of
// another form belongs to Collection.Aggregate and Each.
func (c TypedCollection[T]) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) iter.Seq2[T, error] {
	return walk[T](ctx, func() (*Cursor, error) { return c.collection.Aggregate(ctx, pipeline, opts...) })
}

// ReplaceOne puts a document in the place of the one that matches a filter. The _id stays.
func (c TypedCollection[T]) ReplaceOne(ctx context.Context, filter any, replacement T, opts ...*options.ReplaceOne) (*UpdateResult, error) {
	return c.collection.ReplaceOne(ctx, filter, replacement, opts...)
}

// FindOneAndDelete deletes a document and returns it. When none matches, the error is ErrNoDocuments.
func (c TypedCollection[T]) FindOneAndDelete(ctx context.Context, filter any, opts ...*options.FindOneAndDelete) (T, error) {
	return decodeOne[T](c.collection.FindOneAndDelete(ctx, filter, opts...))
}

// FindOneAndReplace replaces a document and returns it as it was, or as it is with options.After. When none matches, the error
// is ErrNoDocuments, also when an upsert inserted one and the old one was asked for.
func (c TypedCollection[T]) FindOneAndReplace(
	ctx context.Context, filter any, replacement T, opts ...*options.FindOneAndReplace,
) (T, error) {
	return decodeOne[T](c.collection.FindOneAndReplace(ctx, filter, replacement, opts...))
}

// FindOneAndUpdate updates a document and returns it as it was, or as it is with options.After. When none matches, the error is
// ErrNoDocuments, also when an upsert inserted one and the old one was asked for.
func (c TypedCollection[T]) FindOneAndUpdate(ctx context.Context, filter, update any, opts ...*options.FindOneAndUpdate) (T, error) {
	return decodeOne[T](c.collection.FindOneAndUpdate(ctx, filter, update, opts...))
}

// decodeOne is the document of a result; the zero value stands beside an error.
func decodeOne[T any](result *SingleResult) (T, error) {
	var value T
	if err := result.Decode(&value); err != nil {
		var zero T
		return zero, err
	}
	return value, nil
}

// walk opens a cursor when a loop begins, and walks over its documents.
func walk[T any](ctx context.Context, open func() (*Cursor, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		cursor, err := open()
		if err != nil {
			var zero T
			yield(zero, err)
			return
		}
		for value, err := range Each[T](ctx, cursor) {
			if !yield(value, err) {
				return
			}
		}
	}
}
