package encryption

import (
	"errors"
	"fmt"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// appender is a document inside an encrypted value.
type appender interface{ Append(dst []byte) []byte }

func appendToken(dst []byte, key string, t Token) []byte {
	return bson.AppendBinaryElement(dst, key, bsontype.BinaryGeneric, t[:])
}

func appendBytes(dst []byte, key string, b []byte) []byte {
	return bson.AppendBinaryElement(dst, key, bsontype.BinaryGeneric, b)
}

func appendUUID(dst []byte, key string, id bson.UUID) []byte {
	return bson.AppendBinaryElement(dst, key, bsontype.BinaryUUID, id[:])
}

func appendNested(dst []byte, key string, v appender) []byte {
	return v.Append(bson.AppendHeader(dst, bsontype.EmbeddedDocument, key))
}

func appendList[T any, P interface {
	*T
	appender
}](dst []byte, key string, list []T) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i := range list {
		dst = P(&list[i]).Append(bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// fieldReader reads a document with a known set of fields. It keeps the first error.
type fieldReader struct {
	r    bson.Reader
	seen []string
	err  error
}

func newFieldReader(doc bson.Raw) fieldReader { return fieldReader{r: bson.NewReader(doc)} }

// newValueReader reads the document of an encrypted value whose first byte must be kind.
func newValueReader(value []byte, kind Payload) fieldReader {
	if len(value) == 0 || Payload(value[0]) != kind {
		return fieldReader{err: fmt.Errorf("encrypt: an encrypted value does not begin with byte %d", kind)}
	}
	doc := bson.Raw(value[1:])
	if err := doc.Validate(); err != nil {
		return fieldReader{err: fmt.Errorf("encrypt: the document of an encrypted value: %w", err)}
	}
	return newFieldReader(doc)
}

// next moves to the next field. No document has so many fields that a search of the list is slow.
func (r *fieldReader) next() bool {
	if r.err != nil || !r.r.Next() {
		return false
	}
	if slices.Contains(r.seen, r.r.Key()) {
		r.err = fmt.Errorf("encrypt: field %q is there twice", r.r.Key())
		return false
	}
	r.seen = append(r.seen, r.r.Key())
	return true
}

func (r *fieldReader) key() string { return r.r.Key() }

func (r *fieldReader) unknown() { r.fail(errors.New("nobody knows it")) }

// fail records what is wrong with the current field.
func (r *fieldReader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("encrypt: field %q of an encrypted value: %w", r.r.Key(), err)
	}
}

var errType = errors.New("its type is wrong")

// done returns the first error, or an error for a missing field.
func (r *fieldReader) done(name string, required ...string) error {
	if r.err == nil {
		r.err = r.r.Err()
	}
	for _, key := range required {
		if r.err == nil && !slices.Contains(r.seen, key) {
			r.err = fmt.Errorf("encrypt: %s has no field %q", name, key)
		}
	}
	return r.err
}

// typed returns the value of the current field. ok says whether its type was right.
func typed[T any](r *fieldReader, v T, ok bool) T {
	if !ok {
		r.fail(errType)
	}
	return v
}

func (r *fieldReader) value() bson.RawValue { return r.r.Value() }

func (r *fieldReader) integer() int32 {
	v, ok := r.r.Value().Int32OK()
	return typed(r, v, ok)
}

func (r *fieldReader) long() int64 {
	v, ok := r.r.Value().Int64OK()
	return typed(r, v, ok)
}

func (r *fieldReader) boolean() bool {
	v, ok := r.r.Value().BooleanOK()
	return typed(r, v, ok)
}

func (r *fieldReader) text() string {
	v, ok := r.r.Value().StringOK()
	return typed(r, v, ok)
}

func (r *fieldReader) bytes() []byte {
	subtype, data, ok := r.r.Value().BinaryOK()
	return typed(r, data, ok && subtype == bsontype.BinaryGeneric)
}

func (r *fieldReader) token() Token {
	b := r.bytes()
	if len(b) != len(Token{}) {
		r.fail(errType)
		return Token{}
	}
	return Token(b)
}

func (r *fieldReader) uuid() bson.UUID {
	subtype, data, ok := r.r.Value().BinaryOK()
	if !ok || subtype != bsontype.BinaryUUID || len(data) != len(bson.UUID{}) {
		r.fail(errType)
		return bson.UUID{}
	}
	return bson.UUID(data)
}

// nested reads a document in the current field.
func nested[T any](r *fieldReader, parse func(bson.Raw) (T, error)) T {
	doc, ok := r.r.Value().DocumentOK()
	if !ok {
		r.fail(errType)
		return *new(T)
	}
	v, err := parse(doc)
	if err != nil {
		r.fail(err)
	}
	return v
}

// listOf reads an array of documents in the current field.
func listOf[T any](r *fieldReader, parse func(bson.Raw) (T, error)) []T {
	list, ok := r.r.Value().ArrayOK()
	if !ok {
		r.fail(errType)
		return nil
	}
	out := []T{}
	for _, v := range list.All() {
		doc, ok := v.DocumentOK()
		if !ok {
			r.fail(errType)
			return nil
		}
		item, err := parse(doc)
		if err != nil {
			r.fail(err)
			return nil
		}
		out = append(out, item)
	}
	return out
}
