package mongo

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/specdrivers/onion/bson"
)

// Each walks over the documents of a cursor, each decoded into a T, and closes the cursor at the end, also when the loop
// is left early. An error ends the walk; it is the last thing that is yielded.
//
//	for user, err := range mongo.Each[User](ctx, cursor) {
//		if err != nil { return err }
//		...
//	}
func Each[T any](ctx context.Context, cursor *Cursor) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer cursor.Close(ctx)
		for cursor.Next(ctx) {
			value, err := decodeAs[T](cursor)
			if !yield(value, err) || err != nil {
				return
			}
		}
		if err := cursor.Err(); err != nil {
			var zero T
			yield(zero, err)
		}
	}
}

// All decodes the documents of a cursor into a slice and closes the cursor. The slice is empty, not nil, when there are
// none.
func All[T any](ctx context.Context, cursor *Cursor) ([]T, error) {
	list := []T{}
	for value, err := range Each[T](ctx, cursor) {
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

// decodeAs decodes the current document. A bson.Raw is not decoded at all.
func decodeAs[T any](cursor *Cursor) (T, error) {
	var value T
	if raw, ok := any(&value).(*bson.Raw); ok {
		*raw = cursor.Current()
		return value, nil
	}
	err := cursor.Decode(&value)
	return value, err
}

func decodeAll(ctx context.Context, cursor *Cursor, results any) error {
	defer cursor.Close(ctx)
	rv := reflect.ValueOf(results)
	if rv.Kind() != reflect.Pointer || rv.Elem().Kind() != reflect.Slice {
		return fmt.Errorf("mongo: the results are a %T: pass a pointer to a slice", results)
	}
	slice := rv.Elem()
	list := reflect.MakeSlice(slice.Type(), 0, cursor.RemainingBatchLength())
	for cursor.Next(ctx) {
		item := reflect.New(slice.Type().Elem())
		if err := cursor.Decode(item.Interface()); err != nil {
			return err
		}
		list = reflect.Append(list, item.Elem())
	}
	if err := cursor.Err(); err != nil {
		return err
	}
	slice.Set(list)
	return nil
}
