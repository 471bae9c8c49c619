package mongo

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/fault"
)

// document encodes what a program passes as a document. what names it in errors: the filter, the update.
func (s scope) document(what string, v any) (bson.Raw, error) {
	switch v := v.(type) {
	case nil:
		return nil, fault.Misuse(fault.ErrNilDocument, "the %s is nil: pass bson.D{} for an empty document", what)
	case bson.Raw:
		if err := v.Validate(); err != nil {
			return nil, fmt.Errorf("mongo: the %s: %w", what, err)
		}
		return v, nil
	}
	raw, err := bson.Marshal(v, s.marshal)
	if err != nil {
		return nil, fmt.Errorf("mongo: the %s: %w", what, err)
	}
	return raw, nil
}

// pipeline encodes the stages of an aggregation.
func (s scope) pipeline(v any) (bson.RawArray, error) {
	if v == nil {
		return nil, fault.Misuse(fault.ErrNilValue, "the pipeline is nil: pass bson.A{} for one without stages")
	}
	if err := inOrderStages(v); err != nil {
		return nil, err
	}
	t, data, err := bson.AppendValue(nil, v, s.marshal)
	if err != nil {
		return nil, fmt.Errorf("mongo: the pipeline: %w", err)
	}
	if t != bsontype.Array {
		return nil, fault.Misuse(fault.ErrNotSlice, "the pipeline is of type %s: pass a slice of stages", t)
	}
	return bson.RawArray(data), nil
}

// update encodes an update: a document of operators, or a pipeline.
func (s scope) update(v any) (bson.RawValue, error) {
	if v == nil {
		return bson.RawValue{}, fault.Misuse(fault.ErrNilDocument,
			"the update is nil: pass a document of operators such as $set, or a pipeline")
	}
	t, data, err := bson.AppendValue(nil, v, s.marshal)
	if err != nil {
		return bson.RawValue{}, fmt.Errorf("mongo: the update: %w", err)
	}
	value := bson.RawValue{Type: t, Value: data}
	switch t {
	case bsontype.Array:
		return value, nil
	case bsontype.EmbeddedDocument:
		return value, checkUpdateKey(firstKey(data))
	}
	return value, fmt.Errorf("mongo: the update is of type %s: pass a document or a pipeline", t)
}

// replacement encodes a document that replaces another.
func (s scope) replacement(v any) (bson.Raw, error) {
	raw, err := s.document("replacement", v)
	if err != nil {
		return nil, err
	}
	return raw, checkReplacementKey(firstKey(raw))
}

func checkUpdateKey(key string) error {
	if key == "" {
		return errors.New("mongo: the update is empty: pass operators such as $set")
	}
	if key[0] != '$' {
		return errors.New("mongo: the update must begin with an operator such as $set: to put another document in place use ReplaceOne")
	}
	return nil
}

func checkReplacementKey(key string) error {
	if key != "" && key[0] == '$' {
		return fmt.Errorf("mongo: the replacement must not begin with the operator %s: to apply operators use UpdateOne", key)
	}
	return nil
}

func firstKey(doc bson.Raw) string {
	for key := range doc.All() {
		return key
	}
	return ""
}

// idElement is the length of an _id element with an ObjectID: type, key, zero byte, value.
const idElement = 1 + 3 + 1 + 12

// withID encodes a document to insert and returns its _id. A document without one gets an ObjectID, as its first field.
func (s scope) withID(v any) (bson.Raw, bson.RawValue, error) {
	if v == nil {
		return nil, bson.RawValue{}, fault.Misuse(fault.ErrNilDocument, "the document is nil: pass bson.D{} for an empty one")
	}
	// The document is encoded behind a gap into which the _id element fits.
	buf, err := bson.MarshalAppend(make([]byte, idElement, 256), v, s.marshal)
	if err != nil {
		return nil, bson.RawValue{}, fmt.Errorf("mongo: the document: %w", err)
	}
	doc := bson.Raw(buf[idElement:])
	if id := doc.Lookup("_id"); !id.IsZero() {
		return doc, id, nil
	}
	binary.LittleEndian.PutUint32(buf, uint32(len(buf)))
	bson.AppendObjectIDElement(buf[4:4], "_id", bson.NewObjectID())
	whole := bson.Raw(buf)
	return whole, whole.Lookup("_id"), nil
}

// anyOf decodes a value into what it is in Go.
func anyOf(v bson.RawValue, opts ...*bson.UnmarshalOptions) any {
	var out any
	if err := v.Unmarshal(&out, opts...); err != nil {
		return v
	}
	return out
}
