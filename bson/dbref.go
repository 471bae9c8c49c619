package bson

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/core/form"
)

// DBRef is the conventional form of a reference to a document of another collection: {$ref, $id, $db, ...}. It encodes
// to and decodes from such a document. A document decodes into a DBRef only if the Go type is DBRef.
type DBRef struct {
	Ref   string // the collection
	ID    any    // the _id of the document; nil is null
	DB    string // the database; empty for the database of the referring document
	Extra D      // other fields, written after $db in their order
}

// AppendBSON appends the document, with its fields in the order of DBRefs, "DBRef Structure".
func (r DBRef) AppendBSON(dst []byte) ([]byte, error) {
	dst, start := AppendDocumentStart(dst)
	dst = AppendStringElement(dst, form.Ref, r.Ref)
	dst, err := AppendValueElement(dst, form.ID, r.ID)
	if err != nil {
		return dst, err
	}
	if r.DB != "" {
		dst = AppendStringElement(dst, form.DB, r.DB)
	}
	for _, e := range r.Extra {
		if dst, err = AppendValueElement(dst, e.Key, e.Value); err != nil {
			return dst, err
		}
	}
	return AppendDocumentEnd(dst, start), nil
}

// DecodeBSON reads the document; its fields may be in any order. $ref and $id are required, and $ref and $db must be
// strings.
func (r *DBRef) DecodeBSON(doc Raw) error {
	var ref DBRef
	var hasRef, hasID bool
	elements, err := doc.Elements()
	if err != nil {
		return err
	}
	for _, e := range elements {
		ok := true
		switch e.Key {
		case form.Ref:
			ref.Ref, ok = e.Value.StringOK()
			hasRef = true
		case form.ID:
			err = e.Value.Unmarshal(&ref.ID)
			hasID = true
		case form.DB:
			ref.DB, ok = e.Value.StringOK()
		default:
			var v any
			err = e.Value.Unmarshal(&v)
			ref.Extra = append(ref.Extra, E{Key: e.Key, Value: v})
		}
		if err != nil {
			return decodeErrorAt(err, -1).prefixPath(e.Key)
		}
		if !ok {
			return fmt.Errorf("%s of a DBRef is %v, not a string", e.Key, e.Value.Type)
		}
	}
	if !hasRef || !hasID {
		return errors.New("a DBRef needs the fields $ref and $id")
	}
	*r = ref
	return nil
}
