package mongo

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// givenDocument refuses a nil and returns a document that is encoded already; nil for anything else.
func givenDocument(what string, v any) (bson.Raw, error) {
	switch v := v.(type) {
	case nil:
		return nil, fault.Misuse(fault.ErrNilDocument, "the %s is nil: pass bson.D{} for an empty document", what)
	case bson.Raw:
		if err := v.Validate(); err != nil {
			return nil, inside(err, "the %s", what)
		}
		return v, nil
	}
	return nil, nil
}

// document encodes what a program passes as a document. what names it in errors: the filter, the pipeline.
func (s scope) document(what string, v any) (bson.Raw, error) {
	if given, err := givenDocument(what, v); given != nil || err != nil {
		return given, err
	}
	raw, err := bson.Marshal(v, s.marshal)
	if err != nil {
		return nil, inside(err, "the %s", what)
	}
	return raw, nil
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

// anyOf decodes a value into what it is in Go.
func anyOf(v bson.RawValue, opts ...*bson.UnmarshalOptions) any {
	var out any
	if err := v.Unmarshal(&out, opts...); err != nil {
		return v
	}
	return out
}

// nilArgument is a mistake in a model; the caller of checkModel says in which one.
func nilArgument(sentinel error, text string) error { return fault.Misuse(sentinel, "%s", text) }

// upsertedID is the _id of an upserted document. It tells a null _id from no upsert.
func upsertedID(doc bson.Raw) any {
	id := doc.Lookup("_id")
	if id.IsNull() {
		return bson.Null{}
	}
	return anyOf(id)
}
