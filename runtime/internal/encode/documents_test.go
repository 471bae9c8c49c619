package encode

import (
	"bytes"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// Any slice or array is a list of documents. Large elements are passed by their address.
func TestNewDocuments(t *testing.T) {
	x, y := bson.Doc("x", int32(1), "y", int32(2)), bson.Doc("x", int32(3), "y", int32(4))
	for name, tt := range map[string]struct {
		v       any
		pointer bool
	}{
		"anything":       {[]any{x, point{3, 4}}, false},
		"an A":           {bson.A{x, y}, false},
		"documents":      {[]bson.D{x, y}, true},
		"structs":        {[]point{{1, 2}, {3, 4}}, true},
		"encoded":        {[]bson.Raw{mustEncode(x), mustEncode(y)}, true},
		"an array":       {[2]point{{1, 2}, {3, 4}}, false},
		"a slice of any": {[]interface{ isAny() }{anyPoint{1, 2}, anyPoint{3, 4}}, false},
	} {
		list, err := NewDocuments(tt.v)
		if err != nil || list.Len() != 2 {
			t.Errorf("%s: %d documents, %v", name, list.Len(), err)
			continue
		}
		for i, want := range []bson.D{x, y} {
			got, ok := asRaw(list.At(i))
			if !ok {
				got = mustEncode(list.At(i))
			}
			if !bytes.Equal(got, mustEncode(want)) {
				t.Errorf("%s: document %d is %v, want %v", name, i, got, want)
			}
			if isAddress(list.At(i)) != tt.pointer {
				t.Errorf("%s: document %d is a %T", name, i, list.At(i))
			}
			if request := list.Request(i).(*options.InsertOneModel).Document; isAddress(request) || !bytes.Equal(mustEncode(request), got) {
				t.Errorf("%s: the model of document %d has a %T %v", name, i, request, request)
			}
		}
	}
}

type anyPoint struct{ X, Y int32 }

func (anyPoint) isAny() {}

func isAddress(v any) bool {
	switch v.(type) {
	case *bson.D, *point, *bson.Raw:
		return true
	}
	return false
}

func TestNewDocumentsRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		v    any
		is   error
		want string
	}{
		"none":         {[]point{}, fault.ErrEmptySlice, "mongo: there are no documents to insert: pass at least one"},
		"an empty A":   {bson.A{}, fault.ErrEmptySlice, "mongo: there are no documents to insert: pass at least one"},
		"an empty any": {[]any{}, fault.ErrEmptySlice, "mongo: there are no documents to insert: pass at least one"},
		"nil":          {nil, fault.ErrNotSlice, "mongo: the documents are nil: pass a slice of documents"},
		"a D":          {bson.D{}, fault.ErrNotSlice, "mongo: the documents are a bson.D, which is one document: pass a slice of documents, or use InsertOne"},
		"a Raw":        {bson.Raw{}, fault.ErrNotSlice, "mongo: the documents are a bson.Raw, which is one document: pass a slice of documents, or use InsertOne"},
		"bytes":        {[]byte{}, fault.ErrNotSlice, "mongo: the documents are a []uint8, which is one document: pass a slice of documents, or use InsertOne"},
		"a struct":     {point{}, fault.ErrNotSlice, "mongo: the documents are a encode.point: pass a slice of documents, or use InsertOne for one"},
	} {
		if _, err := NewDocuments(tt.v); text(err) != tt.want || !errors.Is(err, tt.is) {
			t.Errorf("%s: %q, want %q", name, text(err), tt.want)
		}
	}
}
