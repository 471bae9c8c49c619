package mongo

import (
	"context"
	"iter"

	"github.com/specdrivers/onion/generated/options"
)

// TypedCollection is a collection whose methods take and return documents as T. It holds only the collection, may be
// copied, and is safe for concurrent use. Use Collection for everything else, such as deletes, indexes and bulk writes.
type TypedCollection[T any] struct{ collection *Collection }

// Typed returns a view of a collection whose methods take and return T.
//
//	users := mongo.Typed[User](client.Database("shop").Collection("users"))
//	ada, err := users.FindOne(ctx, bson.Doc("name", "Ada"))
func Typed[T any](collection *Collection) TypedCollection[T] { return TypedCollection[T]{collection} }

// Collection is the collection itself.
func (c TypedCollection[T]) Collection() *Collection { return c.collection }

// InsertOne inserts a document. If the document has no _id, the driver adds an ObjectID to what it sends. The argument
// itself does not change; the result holds the _id.
func (c TypedCollection[T]) InsertOne(ctx context.Context, document T, opts ...*options.InsertOne) (*InsertOneResult, error) {
	return c.collection.InsertOne(ctx, document, opts...)
}

// InsertMany inserts documents; there must be at least one.
func (c TypedCollection[T]) InsertMany(ctx context.Context, documents []T, opts ...*options.InsertMany) (*InsertManyResult, error) {
	return c.collection.InsertMany(ctx, documents, opts...)
}

// FindOne finds a document that matches a filter. When none does, the error is ErrNoDocuments.
func (c TypedCollection[T]) FindOne(ctx context.Context, filter any, opts ...*options.FindOne) (T, error) {
	return decodeOne[T](c.collection.FindOne(ctx, filter, opts...))
}

// Find iterates over the documents that match a filter. It sends the command when a loop begins, and closes the cursor
// when the loop ends, even early. An error ends the iteration and is the last thing that it yields.
//
//	for user, err := range users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 30))) {
//		if err != nil { return err }
//		...
//	}
func (c TypedCollection[T]) Find(ctx context.Context, filter any, opts ...*options.Find) iter.Seq2[T, error] {
	return walk[T](ctx, func() (*Cursor, error) { return c.collection.Find(ctx, filter, opts...) })
}

// FindAll finds all documents that match a filter. If there are none, the slice is empty, not nil.
func (c TypedCollection[T]) FindAll(ctx context.Context, filter any, opts ...*options.Find) ([]T, error) {
	cursor, err := c.collection.Find(ctx, filter, opts...)
	if err != nil {
		return nil, err
	}
	return All[T](ctx, cursor)
}

// Aggregate iterates over the results of a pipeline and decodes each into a T, as Find does. If the results have
// another form, use Collection.Aggregate and Each.
func (c TypedCollection[T]) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) iter.Seq2[T, error] {
	return walk[T](ctx, func() (*Cursor, error) { return c.collection.Aggregate(ctx, pipeline, opts...) })
}

// ReplaceOne replaces one document that matches a filter. The _id stays the same.
func (c TypedCollection[T]) ReplaceOne(ctx context.Context, filter any, replacement T, opts ...*options.ReplaceOne) (*UpdateResult, error) {
	return c.collection.ReplaceOne(ctx, filter, replacement, opts...)
}

// FindOneAndDelete deletes a document and returns it. When none matches, the error is ErrNoDocuments.
func (c TypedCollection[T]) FindOneAndDelete(ctx context.Context, filter any, opts ...*options.FindOneAndDelete) (T, error) {
	return decodeOne[T](c.collection.FindOneAndDelete(ctx, filter, opts...))
}

// FindOneAndReplace replaces a document and returns it as it was before, or as it is after with options.After. If none
// matches, the error is ErrNoDocuments. That includes an upsert that inserted a document, unless options.After asks for
// it.
func (c TypedCollection[T]) FindOneAndReplace(
	ctx context.Context, filter any, replacement T, opts ...*options.FindOneAndReplace,
) (T, error) {
	return decodeOne[T](c.collection.FindOneAndReplace(ctx, filter, replacement, opts...))
}

// FindOneAndUpdate updates a document and returns it as it was before, or as it is after with options.After. If none
// matches, the error is ErrNoDocuments. That includes an upsert that inserted a document, unless options.After asks for
// it.
func (c TypedCollection[T]) FindOneAndUpdate(ctx context.Context, filter, update any, opts ...*options.FindOneAndUpdate) (T, error) {
	return decodeOne[T](c.collection.FindOneAndUpdate(ctx, filter, update, opts...))
}

// decodeOne decodes the document of a result. With an error it returns the zero value.
func decodeOne[T any](result *SingleResult) (T, error) {
	var value T
	if err := result.Decode(&value); err != nil {
		var zero T
		return zero, err
	}
	return value, nil
}

// walk iterates over the documents of a cursor that it opens when a loop begins.
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
