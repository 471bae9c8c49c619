package encode

import (
	"reflect"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// Documents is a slice of any type that holds documents: a []User can be passed where documents are wanted.
type Documents struct {
	list  []any         // set if the slice is a []any
	slice reflect.Value // set if it has another type
}

// NewDocuments takes what a program passes as documents; there must be at least one.
func NewDocuments(v any) (Documents, error) {
	switch v := v.(type) {
	case []any:
		return Documents{list: v}, checkNotEmpty(len(v))
	case bson.A:
		return Documents{list: v}, checkNotEmpty(len(v))
	case bson.D, bson.Raw, []byte:
		return Documents{}, fault.Misuse(fault.ErrNotSlice,
			"the documents are a %T, which is one document: pass a slice of documents, or use InsertOne", v)
	}
	rv := reflect.ValueOf(v)
	if !rv.IsValid() {
		return Documents{}, fault.Misuse(fault.ErrNotSlice, "the documents are nil: pass a slice of documents")
	}
	if rv.Kind() != reflect.Slice && rv.Kind() != reflect.Array {
		return Documents{}, fault.Misuse(fault.ErrNotSlice,
			"the documents are a %T: pass a slice of documents, or use InsertOne for one", v)
	}
	return Documents{slice: rv}, checkNotEmpty(rv.Len())
}

func checkNotEmpty(n int) error {
	if n == 0 {
		return fault.Misuse(fault.ErrEmptySlice, "there are no documents to insert: pass at least one")
	}
	return nil
}

// Len is the number of documents.
func (l Documents) Len() int {
	if l.list != nil {
		return len(l.list)
	}
	return l.slice.Len()
}

// At returns document i, or a pointer to it. A pointer encodes in the same way, and spares the copy that an any
// with a struct or a bson.D would hold.
func (l Documents) At(i int) any {
	if l.list != nil {
		return l.list[i]
	}
	item := l.slice.Index(i)
	if kind := item.Kind(); (kind == reflect.Struct || kind == reflect.Slice) && item.CanAddr() {
		return item.Addr().Interface()
	}
	return item.Interface()
}

// Request returns document i as a model of BulkWrite, for an error that names it.
func (l Documents) Request(i int) options.WriteModel {
	if l.list != nil {
		return &options.InsertOneModel{Document: l.list[i]}
	}
	return &options.InsertOneModel{Document: l.slice.Index(i).Interface()}
}
