package mongo

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/specdrivers/onion/bson"
)

// Each iterates over the documents of a cursor and decodes each into a T. It closes the cursor when the loop ends, even
// early. An error ends the iteration and is the last thing that it yields.
//
//	for user, err := range mongo.Each[User](ctx, cursor) {
//		if err != nil { return err }
//		...
//	}
func Each[T any](ctx context.Context, cursor *Cursor) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer cursor.Close(ctx)
		var value, zero T // one value for all documents: each would be an allocation
		for cursor.Next(ctx) {
			value = zero
			err := decodeTo(cursor, &value)
			if !yield(value, err) || err != nil {
				return
			}
		}
		if err := cursor.Err(); err != nil {
			yield(zero, err)
		}
	}
}

// All decodes the documents of a cursor into a slice and closes the cursor. If there are none, the slice is empty, not
// nil.
func All[T any](ctx context.Context, cursor *Cursor) ([]T, error) {
	defer cursor.Close(ctx)
	list := make([]T, 0, cursor.RemainingBatchLength())
	for cursor.Next(ctx) {
		if len(list) == cap(list) {
			list = slices.Grow(list, 1+cursor.RemainingBatchLength())
		}
		list = list[:len(list)+1]
		if err := decodeTo(cursor, &list[len(list)-1]); err != nil {
			return nil, err
		}
	}
	if err := cursor.Err(); err != nil {
		return nil, err
	}
	return list, nil
}

// decodeTo decodes the current document. A bson.Raw is not decoded at all.
func decodeTo[T any](cursor *Cursor, value *T) error {
	if raw, ok := any(value).(*bson.Raw); ok {
		*raw = cursor.Current()
		return nil
	}
	return cursor.Decode(value)
}

func decodeAll(ctx context.Context, cursor *Cursor, results any) error {
	defer cursor.Close(ctx)
	rv := reflect.ValueOf(results)
	if rv.Kind() != reflect.Pointer || rv.Elem().Kind() != reflect.Slice {
		return fmt.Errorf("mongo: the results are a %T: pass a pointer to a slice", results)
	}
	list := reflect.New(rv.Elem().Type()).Elem()
	list.Grow(max(1, cursor.RemainingBatchLength())) // with room for one, the slice is not nil
	for cursor.Next(ctx) {
		n := list.Len()
		if n == list.Cap() {
			list.Grow(1 + cursor.RemainingBatchLength())
		}
		list.SetLen(n + 1)
		if err := cursor.Decode(list.Index(n).Addr().Interface()); err != nil {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return err
	}
	rv.Elem().Set(list)
	return nil
}

// All decodes the remaining documents into the slice that results points to, and closes the cursor.
func (c *Cursor) All(ctx context.Context, results any) error { return decodeAll(ctx, c, results) }
