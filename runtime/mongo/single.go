package mongo

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// SingleResult is the one document that an operation returned, or the error of the operation.
type SingleResult struct {
	doc       bson.Raw
	err       error
	unmarshal *bson.UnmarshalOptions
}

// NewSingleResultFromDocument makes a result from a document or an error, for tests of code that takes a SingleResult.
// If both are nil, the result is ErrNoDocuments.
func NewSingleResultFromDocument(document any, err error) *SingleResult {
	if err != nil {
		return &SingleResult{err: err}
	}
	if document == nil {
		return &SingleResult{err: ErrNoDocuments}
	}
	doc, err := encode.Document(nil, "document", document)
	return &SingleResult{doc: doc, err: err}
}

// Decode decodes the document into the value that v points to. It returns ErrNoDocuments when the operation matched
// none, and the operation's error when it failed.
func (r *SingleResult) Decode(v any) error {
	r = r.orError()
	if r.err != nil {
		return r.err
	}
	if err := bson.Unmarshal(r.doc, v, r.unmarshal); err != nil {
		return fmt.Errorf("mongo: decoding the result: %w", err)
	}
	return nil
}

// Raw is the document as the server sent it. The caller may keep it.
func (r *SingleResult) Raw() (bson.Raw, error) {
	r = r.orError()
	return r.doc, r.err
}

// Err is the operation's error. It is ErrNoDocuments when the operation matched no document.
func (r *SingleResult) Err() error { return r.orError().err }

// orError returns r. For a nil r, it returns a result that holds the error, because no method panics on a nil handle.
func (r *SingleResult) orError() *SingleResult {
	if r == nil {
		return &SingleResult{err: nilHandleError("result", "FindOne returns")}
	}
	return r
}
