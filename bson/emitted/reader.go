package emitted

import (
	"errors"
	"fmt"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// appender is a document that can append itself to an encrypted value.
type appender interface{ Append(dst []byte) []byte }

// AppendBytes appends bytes.
func AppendBytes(dst []byte, key string, b []byte) []byte {
	return bson.AppendBinaryElement(dst, key, bsontype.BinaryGeneric, b)
}

// AppendUUID appends a UUID.
func AppendUUID(dst []byte, key string, id bson.UUID) []byte {
	return bson.AppendBinaryElement(dst, key, bsontype.BinaryUUID, id[:])
}

// AppendNested appends a document in a field.
func AppendNested(dst []byte, key string, v appender) []byte {
	return v.Append(bson.AppendHeader(dst, bsontype.EmbeddedDocument, key))
}

// AppendList appends an array of documents.
func AppendList[T any, P interface {
	*T
	appender
}](dst []byte, key string, list []T) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i := range list {
		dst = P(&list[i]).Append(bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// FieldReader reads a document with a known set of fields. It keeps the first error.
type FieldReader struct {
	r    bson.Reader
	seen []string
	err  error
}

// NewFieldReader reads the fields of a document.
func NewFieldReader(doc bson.Raw) FieldReader { return FieldReader{r: bson.NewReader(doc)} }

// NewValueReader reads the document of an encrypted value whose first byte must be kind.
func NewValueReader(value []byte, kind byte) FieldReader {
	if len(value) == 0 || value[0] != kind {
		return FieldReader{err: fmt.Errorf("encrypt: an encrypted value does not begin with byte %d", kind)}
	}
	doc := bson.Raw(value[1:])
	if err := doc.Validate(); err != nil {
		return FieldReader{err: fmt.Errorf("encrypt: the document of an encrypted value: %w", err)}
	}
	return NewFieldReader(doc)
}

// Next moves to the next field. No document has so many fields that a search of the list is slow.
func (r *FieldReader) Next() bool {
	if r.err != nil || !r.r.Next() {
		return false
	}
	if slices.Contains(r.seen, r.r.Key()) {
		r.err = fmt.Errorf("encrypt: field %q appears twice", r.r.Key())
		return false
	}
	r.seen = append(r.seen, r.r.Key())
	return true
}

// Key is the key of the current field.
func (r *FieldReader) Key() string { return r.r.Key() }

// RefuseUnknown refuses the current field, because the document has no such key.
func (r *FieldReader) RefuseUnknown() { r.fail(errors.New("it is unknown")) }

// fail records what is wrong with the current field.
func (r *FieldReader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("encrypt: field %q of an encrypted value: %w", r.r.Key(), err)
	}
}

var errType = errors.New("it has the wrong type")

// Done returns the first error, or an error for a missing field.
func (r *FieldReader) Done(name string, required ...string) error {
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

// checkType returns v, the value of the current field, and records an error unless ok says that its type was right.
func checkType[T any](r *FieldReader, v T, ok bool) T {
	if !ok {
		r.fail(errType)
	}
	return v
}

// Value is the value of the current field.
func (r *FieldReader) Value() bson.RawValue { return r.r.Value() }

// Int32 reads a 32-bit integer.
func (r *FieldReader) Int32() int32 {
	v, ok := r.r.Value().Int32OK()
	return checkType(r, v, ok)
}

// Int64 reads a 64-bit integer.
func (r *FieldReader) Int64() int64 {
	v, ok := r.r.Value().Int64OK()
	return checkType(r, v, ok)
}

// Boolean reads true or false.
func (r *FieldReader) Boolean() bool {
	v, ok := r.r.Value().BooleanOK()
	return checkType(r, v, ok)
}

// Text reads a text.
func (r *FieldReader) Text() string {
	v, ok := r.r.Value().StringOK()
	return checkType(r, v, ok)
}

// Bytes reads bytes.
func (r *FieldReader) Bytes() []byte {
	subtype, data, ok := r.r.Value().BinaryOK()
	return checkType(r, data, ok && subtype == bsontype.BinaryGeneric)
}

// Key32 reads a key of 32 bytes.
func (r *FieldReader) Key32() (key [32]byte) {
	b := r.Bytes()
	if len(b) != len(key) {
		r.fail(errType)
		return key
	}
	return [32]byte(b)
}

// UUID reads a UUID.
func (r *FieldReader) UUID() bson.UUID {
	subtype, data, ok := r.r.Value().BinaryOK()
	if !ok || subtype != bsontype.BinaryUUID || len(data) != len(bson.UUID{}) {
		r.fail(errType)
		return bson.UUID{}
	}
	return bson.UUID(data)
}

// ReadNested reads a document in the current field.
func ReadNested[T any](r *FieldReader, parse func(bson.Raw) (T, error)) T {
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

// ReadList reads an array of documents in the current field.
func ReadList[T any](r *FieldReader, parse func(bson.Raw) (T, error)) []T {
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
