package mongo

import (
	"reflect"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// documentList is a slice of any type that holds documents: a []User can be passed where documents are wanted.
type documentList struct {
	list  []any         // nil for a slice of another type
	slice reflect.Value // that slice
}

func documentsOf(v any) (documentList, error) {
	switch v := v.(type) {
	case []any:
		return documentList{list: v}, notEmpty(len(v))
	case bson.A:
		return documentList{list: v}, notEmpty(len(v))
	case bson.D, bson.Raw, []byte:
		return documentList{}, fault.Misuse(fault.ErrNotSlice,
			"the documents are a %T, which is one document: pass a slice of documents, or use InsertOne", v)
	}
	rv := reflect.ValueOf(v)
	if !rv.IsValid() {
		return documentList{}, fault.Misuse(fault.ErrNotSlice, "the documents are nil: pass a slice of documents")
	}
	if rv.Kind() != reflect.Slice && rv.Kind() != reflect.Array {
		return documentList{}, fault.Misuse(fault.ErrNotSlice,
			"the documents are a %T: pass a slice of documents, or use InsertOne for one", v)
	}
	return documentList{slice: rv}, notEmpty(rv.Len())
}

func notEmpty(n int) error {
	if n == 0 {
		return fault.Misuse(fault.ErrEmptySlice, "there are no documents to insert: pass at least one")
	}
	return nil
}

func (l documentList) len() int {
	if l.list != nil {
		return len(l.list)
	}
	return l.slice.Len()
}

// documentAt is document i, or a pointer to it, which encodes to the same: in an any, a struct or a bson.D would be a copy.
func (l documentList) documentAt(i int) any {
	if l.list != nil {
		return l.list[i]
	}
	item := l.slice.Index(i)
	if kind := item.Kind(); (kind == reflect.Struct || kind == reflect.Slice) && item.CanAddr() {
		return item.Addr().Interface()
	}
	return item.Interface()
}

// request is document i as the caller would pass it to BulkWrite, for the error that names it.
func (l documentList) request(i int) options.WriteModel {
	if l.list != nil {
		return &options.InsertOneModel{Document: l.list[i]}
	}
	return &options.InsertOneModel{Document: l.slice.Index(i).Interface()}
}
