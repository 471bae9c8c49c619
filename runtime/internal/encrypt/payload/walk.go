package payload

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// visit calls f with the bytes of every encrypted value in a document, at any depth.
func visit(doc bson.Raw, depth int, f func(value []byte) error) error {
	if depth == 0 {
		return bson.ErrMaxDepth
	}
	r := bson.NewReader(doc)
	for r.Next() {
		v := r.Value()
		var err error
		switch v.Type {
		case bsontype.EmbeddedDocument, bsontype.Array:
			err = visit(bson.Raw(v.Value), depth-1, f)
		case bsontype.Binary:
			if subtype, data, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted {
				err = f(data)
			}
		}
		switch {
		case err == errFound: // this error only ends the walk, so it needs no path
			return err
		case err != nil:
			return prefixPath(r.Key(), err)
		}
	}
	return r.Err()
}

// swap appends the element that replaces an encrypted value. If changed is false, it appends nothing and the value stays.
type swap func(dst []byte, key string, value []byte) (out []byte, changed bool, err error)

// rewrite appends a document in which f replaces encrypted values.
func rewrite(dst []byte, doc bson.Raw, depth int, f swap) ([]byte, error) {
	if depth == 0 {
		return nil, bson.ErrMaxDepth
	}
	dst, start := bson.AppendDocumentStart(dst)
	r := bson.NewReader(doc)
	for r.Next() {
		v, key := r.Value(), r.Key()
		var err error
		switch v.Type {
		case bsontype.EmbeddedDocument, bsontype.Array:
			dst = bson.AppendHeader(dst, v.Type, key)
			dst, err = rewrite(dst, bson.Raw(v.Value), depth-1, f)
		case bsontype.Binary:
			dst, err = appendSwapped(dst, key, v, f)
		default:
			dst = bson.AppendRawValueElement(dst, key, v)
		}
		if err != nil {
			return nil, prefixPath(key, err)
		}
	}
	return bson.AppendDocumentEnd(dst, start), r.Err()
}

// appendSwapped appends a binary value, or what takes its place.
func appendSwapped(dst []byte, key string, v bson.RawValue, f swap) ([]byte, error) {
	subtype, data, ok := v.BinaryOK()
	if ok && subtype == bsontype.BinaryEncrypted {
		if out, changed, err := f(dst, key, data); err != nil || changed {
			return out, err
		}
	}
	return bson.AppendRawValueElement(dst, key, v), nil
}

// errFound ends a walk that looks for one value.
var errFound = errors.New("found")

// contains reports whether a document has an encrypted value that f accepts.
func contains(doc bson.Raw, f func(value []byte) bool) (bool, error) {
	err := visit(doc, bson.DefaultMaxDepth, func(value []byte) error {
		if f(value) {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// pathError says where in a document an encrypted value is.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return fmt.Sprintf("%v, in field %s", e.err, e.path) }
func (e *pathError) Unwrap() error { return e.err }

// prefixPath puts a key in front of the path of an error.
func prefixPath(key string, err error) error {
	if e, ok := err.(*pathError); ok {
		return &pathError{key + "." + e.path, e.err}
	}
	return &pathError{key, err}
}
