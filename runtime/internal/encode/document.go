package encode

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// takeEncoded refuses a nil and returns a document that is encoded already; nil for anything else.
func takeEncoded(what string, v any) (bson.Raw, error) {
	switch v := v.(type) {
	case nil:
		return nil, fault.Misuse(fault.ErrNilDocument, "the %s is nil: pass bson.D{} for an empty document", what)
	case []byte:
		return takeEncoded(what, bson.Raw(v))
	case bson.Raw:
		if err := v.Validate(); err != nil {
			return nil, At(err, "the %s", what)
		}
		return v, nil
	case bson.E:
		return nil, refuseElement(what, v)
	}
	return nil, nil
}

// bytesAsRaw takes bytes for a document that is encoded already, as the official driver does.
func bytesAsRaw(v any) any {
	if b, ok := v.([]byte); ok {
		return bson.Raw(b)
	}
	return v
}

// Document encodes what a program passes as a document. what names it in errors: the filter, the pipeline.
func Document(m *bson.MarshalOptions, what string, v any) (bson.Raw, error) {
	if given, err := takeEncoded(what, v); given != nil || err != nil {
		return given, err
	}
	raw, err := bson.Marshal(v, m)
	if err != nil {
		return nil, ExplainNotDocument(what, v, err)
	}
	return raw, refuseUnexported(what, v, raw)
}

// ExplainNotDocument returns an error that guesses what v was meant to be. what names the argument: the filter,
// document 3.
func ExplainNotDocument(what string, v any, err error) error {
	if !strings.HasPrefix(what, "document ") {
		what = "the " + what
	}
	if hasPath(err) {
		return At(err, "%s", what)
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if rv.IsNil() {
			return At(err, "%s is a nil %T: pass bson.D{} for an empty document", what, v)
		}
	}
	switch rv.Kind() {
	case reflect.Slice, reflect.Array:
		switch v.(type) {
		case bson.D: // the error says what is wrong in a call of bson.Doc
			return At(err, "%s", what)
		case bson.ObjectID:
			return At(err, "%s is an ObjectID: pass bson.Doc(\"_id\", id)", what)
		}
		many := ""
		if what == "the document" {
			many = ", or use InsertMany to insert several"
		}
		return At(err, "%s, a %T, is a list: pass one document%s", what, v, many)
	case reflect.String:
		return At(err, "%s is text: pass a document such as bson.Doc(\"name\", 1), or what bson.UnmarshalExtJSON makes of JSON", what)
	}
	return At(err, "%s", what)
}

// hasPath reports whether the error concerns a value inside a document. Then the document itself is fine, and the path
// in the error leads to the value.
func hasPath(err error) bool {
	e, ok := errors.AsType[*bson.EncodeError](err)
	return ok && e.Path != ""
}

func encodesItself(v any) bool {
	switch v.(type) {
	case bson.Marshaler, bson.ValueMarshaler:
		return true
	}
	return false
}

// refuseElement refuses a single element, which would become the document {key: ..., value: ...}.
func refuseElement(what string, e bson.E) error {
	return fmt.Errorf("mongo: the %s is a bson.E: pass a bson.D, such as bson.D{{Key: %q, Value: ...}}", what, e.Key)
}

// refuseUnexported refuses a struct without an exported field, which would become an empty document. doc is its
// encoding, perhaps with an _id that the driver has added.
func refuseUnexported(what string, v any, doc bson.Raw) error {
	if len(doc) > idOnlySize { // the compiler inlines this much, and most documents of an InsertMany end here
		return nil
	}
	return refuseEmptyStruct(what, v)
}

func refuseEmptyStruct(what string, v any) error {
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.NumField() == 0 || encodesItself(v) {
		return nil
	}
	for i := range t.NumField() {
		if field := t.Field(i); field.IsExported() || field.Anonymous {
			return nil
		}
	}
	return fmt.Errorf(
		"mongo: the %s is a %v, which has no exported field: only fields whose names begin with a capital letter are stored", what, t)
}

// idOnlySize is the size of a document with an ObjectID as its only field.
const idOnlySize = 22

func checkUpdateKey(key string) error {
	if key == "" {
		return errors.New("mongo: the update is empty: pass operators such as $set")
	}
	if key[0] != '$' {
		return errors.New("mongo: the update must begin with an operator such as $set: to replace the whole document, use ReplaceOne")
	}
	return nil
}

func checkReplacementKey(key string) error {
	if key != "" && key[0] == '$' {
		return fmt.Errorf("mongo: the replacement must not begin with the operator %s: to apply operators, use UpdateOne", key)
	}
	return nil
}

// FirstKey returns the first key of a document, "" if it is empty.
func FirstKey(doc bson.Raw) string {
	for key := range doc.All() {
		return key
	}
	return ""
}

// DecodeAny decodes a value into the default Go type for its BSON type. A value that does not decode is returned as it is.
func DecodeAny(v bson.RawValue, opts ...*bson.UnmarshalOptions) any {
	var out any
	if err := v.Unmarshal(&out, opts...); err != nil {
		return v
	}
	return out
}
