package mongo

import (
	"reflect"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// sliceOf makes a list of the elements of any slice, so that a []User can be passed where a list of documents is wanted.
func sliceOf(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, notEmpty(len(v))
	case bson.A:
		return v, notEmpty(len(v))
	case bson.D, bson.Raw, []byte:
		return nil, fault.Misuse(fault.ErrNotSlice,
			"the documents are a %T, which is one document: pass a slice of documents, or use InsertOne", v)
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice && rv.Kind() != reflect.Array {
		return nil, fault.Misuse(fault.ErrNotSlice, "the documents are a %T: pass a slice", v)
	}
	list := make([]any, rv.Len())
	for i := range list {
		list[i] = rv.Index(i).Interface()
	}
	return list, notEmpty(len(list))
}

func notEmpty(n int) error {
	if n == 0 {
		return fault.Misuse(fault.ErrEmptySlice, "there are no documents to insert")
	}
	return nil
}
