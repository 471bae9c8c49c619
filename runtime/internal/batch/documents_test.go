package batch

import (
	"bytes"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// array returns an array with these bytes as its elements.
func array(elements string) bson.RawArray {
	dst, start := bson.AppendDocumentStart(nil)
	return bson.RawArray(bson.AppendDocumentEnd(append(dst, elements...), start))
}

func TestDocuments(t *testing.T) {
	docs := []bson.Raw{encode(bson.D{}), encode(bson.Doc("x", 1)), encode(bson.Doc("y", "text"))}
	dst, start := bson.AppendDocumentStart(nil)
	for i, key := range []string{"12", "", "x"} { // the keys do not matter
		dst = bson.AppendDocumentElement(dst, key, docs[i])
	}
	documents := Of(bson.AppendDocumentEnd(dst, start))
	for i, want := range docs {
		if !documents.HasMore() {
			t.Fatalf("%d documents, want %d", i, len(docs))
		}
		doc, err := documents.Next()
		if err != nil || !bytes.Equal(doc, want) || cap(doc) != len(doc) {
			t.Errorf("document %d: %v with room for %d, %v, want %v", i, doc, cap(doc), err, want)
		}
	}
	if documents.HasMore() {
		t.Error("there are more documents")
	}
}

func TestNoDocuments(t *testing.T) {
	for _, documents := range []Documents{{}, Of(nil), Of(bson.RawArray{1, 2, 3, 4}), Of(array(""))} {
		if documents.HasMore() {
			t.Errorf("%v has documents", documents)
		}
	}
}

// Anything before the array's end is a document, or an error of the server's that must not be taken for the end.
func TestOneByteIsNotTheEnd(t *testing.T) {
	if documents := Of(array("\x03")); !documents.HasMore() {
		t.Error("a byte before the end is taken for the end")
	}
}

func TestMalformedDocumentsAreErrors(t *testing.T) {
	for name, elements := range map[string]string{
		"a number":                      "\x100\x00\x05\x00\x00\x00",
		"a key without an end":          "\x0300000",
		"a document without a length":   "\x030\x00\x05\x00",
		"a document of four bytes":      "\x030\x00\x04\x00\x00\x00\x00\x00",
		"a document beyond the batch":   "\x030\x00\x09\x00\x00\x00\x00",
		"a document of the whole batch": "\x030\x00\x06\x00\x00\x00\x00",
	} {
		documents := Of(array(elements))
		if doc, err := documents.Next(); err != errNotDocuments || doc != nil {
			t.Errorf("%s: %v, %v", name, doc, err)
		}
	}
}
