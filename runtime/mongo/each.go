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
		var value, zero T // declared outside the loop, so that it is allocated once
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
	if err := cursor.check(ctx); err != nil {
		cursor.Close(ctx)
		return err
	}
	defer cursor.Close(ctx)
	rv := reflect.ValueOf(results)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return fmt.Errorf("mongo: the results are a %T: pass a pointer to a slice of documents", results)
	}
	given := rv.Elem()
	if given.Kind() == reflect.Interface {
		given = given.Elem() // keep the type of a slice that is in an any
	}
	if given.Kind() != reflect.Slice || given.Type().Elem() == reflect.TypeFor[bson.E]() {
		return fmt.Errorf("mongo: the results are a %T: pass a pointer to a slice of documents", results)
	}
	list := reflect.New(given.Type()).Elem()
	list.Grow(cursor.RemainingBatchLength())
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
	if list.Len() == 0 {
		list = given.Slice(0, 0) // nil stays nil, as in the official driver
	}
	rv.Elem().Set(list)
	return nil
}

// All decodes the remaining documents into the slice that results points to, and closes the cursor. The slice may be in
// an any. If there are no documents, a nil slice stays nil, and another one becomes empty.
func (c *Cursor) All(ctx context.Context, results any) error { return decodeAll(ctx, c, results) }
